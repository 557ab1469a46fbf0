/* What the programs that verify themselves share: exact comparisons, whose failures are printed and counted. */
#ifndef EXPECT_H
#define EXPECT_H
#include <stdio.h>

static int failures;

/* A long double holds every int, long and double as it is. */
static inline void expect(long double got, long double want, const char *what)
{
    if (got != want) {
        printf("%s: %.19Lg, not %.19Lg\n", what, got, want);
        failures++;
    }
}
#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)
#define EXPECT(got, want) expect((got), (want), "line " TEXT_OF(__LINE__))
#endif
