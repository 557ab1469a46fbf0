/* Functions that fill 16 numbers, run on the host and in a target region: TRY compares what they make of them. */
#ifndef TRIED_H
#define TRIED_H
#include <math.h>

#include "expect.h"

static inline void compare(const char *what, const double *host, const double *device)
{
    for (int i = 0; i < 16; i++)
        if (fabs(host[i] - device[i]) > 4e-16 * fabs(host[i])) {
            printf("%s[%d]: %.17g, not %.17g\n", what, i, device[i], host[i]);
            failures++;
        }
}
#define TRY(f, n)                                                                                                      \
    do {                                                                                                               \
        double host[16] = {0}, device[16] = {0};                                                                       \
        f(host, n);                                                                                                    \
        _Pragma("omp target map(tofrom : device)") f(device, n);                                                       \
        compare(#f, host, device);                                                                                     \
    } while (0)
#endif
