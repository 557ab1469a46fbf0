/* A `parallel` directly in a `parallel` is run by each thread anew, and reductions of one variable may differ by level. */
#include "expect.h"

#include <omp.h>

int main(void)
{
    int a = 0, b = 0, c = 0, level = 0;
    double p = 0;
#pragma omp target parallel num_threads(4) map(tofrom : a, level)
#pragma omp parallel num_threads(1)
    {
#pragma omp atomic
        a += 1;
#pragma omp atomic write
        level = omp_get_level();
    }
    expect(a, 4, "each thread");
    expect(level, 2, "level");
#pragma omp target map(tofrom : b)
#pragma omp parallel num_threads(4)
#pragma omp parallel for simd
    for (int i = 0; i < 8; i++)
#pragma omp atomic
        b++;
    expect(b, 32, "a loop in each thread");
#pragma omp target teams num_teams(2) map(tofrom : c)
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(1)
#pragma omp atomic
    c++;
    expect(c, 6, "each thread of each team");
#pragma omp target teams num_teams(2) map(tofrom : p) reduction(+ : p)
#pragma omp distribute parallel for reduction(max : p)
    for (int i = 0; i < 10; i++)
        p = p > i ? p : i;
    expect(p, 13, "the sum of maxima");
    return failures != 0;
}
