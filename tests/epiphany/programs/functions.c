/* Functions of the C library in a kernel: as near to the host's as libraries are to each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ALL(OF_ONE, OF_TWO)                                                                                                       \
    OF_ONE(exp) OF_ONE(exp2) OF_ONE(log) OF_ONE(log2) OF_ONE(log10) OF_ONE(sin) OF_ONE(cos) OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) \
    OF_ONE(atan) OF_ONE(tanh) OF_ONE(cbrt) OF_ONE(floor) OF_ONE(ceil) OF_ONE(trunc) OF_ONE(round) OF_ONE(rint) OF_ONE(sqrt)       \
    OF_TWO(pow) OF_TWO(atan2) OF_TWO(hypot) OF_TWO(fmod) OF_TWO(copysign)

enum { INPUTS = 12 };
static const float given[INPUTS] = {0, -0.0f, 0.25f, -0.5f, 1, -1, 1.5f, 2.5f, -2.5f, 7.75f, 30, -3};

static int is_near(double a, double b, double allowed) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= allowed * fmax(fabs(a), fabs(b)) + 1e-18;
}

#define TRY(name, ARGUMENTS)                                                                             \
    {                                                                                                    \
        float single = 0;                                                                                \
        double twice = 0;                                                                                \
        _Pragma("omp target map(from: single, twice) firstprivate(x, y)")                                \
        {                              \
            single = name##f ARGUMENTS;                                                                  \
            twice = name ARGUMENTS;                                                                      \
        }                                                                                                \
        if (!is_near(single, name##f ARGUMENTS, 2.4e-7) || !is_near(twice, name ARGUMENTS, 4.4e-16)) {   \
            printf("%s of %g, %g: %.9g and %.17g\n", #name, (double)x, (double)y, (double)single, twice); \
            wrong++;                                                                                     \
        }                                                                                                \
    }
#define ONE(name) TRY(name, (x))
#define TWO(name) TRY(name, (x, y))

int main(void) {
    int wrong = 0, lengths = 0;
    char text[16] = "fifteen letters";
    for (int i = 0; i < INPUTS; i++) {
        float x = given[i], y = given[(i * 5 + 3) % INPUTS];
        ALL(ONE, TWO)
    }
#pragma omp target map(to: text) map(tofrom: lengths)
    lengths = (int)strlen(text) + 100 * (strcmp(text, "fifteen") > 0) + 1000 * (strncmp(text, "fifth", 4) == 0) +
              10000 * (int)(strchr(text, 'l') - text) + 1000000 * (memchr(text, 'z', sizeof text) == 0);
    printf("%d wrong, %d\n", wrong, lengths);
    return wrong != 0;
}
