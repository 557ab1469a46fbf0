/* Single variables of `long` and `size_t` that host and kernel share: 8 bytes in both, whatever a core's `long` has. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#define N 300

static long total;

static long with(float *x, size_t n, long step)
{
    long sum = 0, least = LONG_MAX, last = -1;
    unsigned long bits = 0;
#pragma omp target teams distribute parallel for map(tofrom: x[0:n]) reduction(+: sum) reduction(min: least) reduction(|: bits)
    for (size_t i = 0; i < n; i++) {
        x[i] += 1;
        sum += (long long)step * 100000000 * (long long)i; /* more than 32 bits hold */
        if ((long)i - 100 < least) least = (long)i - 100;
        bits |= 1ull << i % 60;
    }
#pragma omp target parallel for schedule(dynamic, 7) lastprivate(last) map(tofrom: x[0:n])
    for (size_t i = 0; i < n; i++) {
        last = step - (long)i;
        x[i] *= 2;
    }
    printf("%ld %ld %lx %ld\n", sum, least, bits, last);
    return sum;
}

int main(void)
{
    static float x[N];
    long one = -5, counted = LONG_MIN + 3, result, big = LONG_MAX / 3;
    size_t rows = 7, columns = 9;
    int cells = 0;
    with(x, N, -3);
#pragma omp target map(from: result) map(tofrom: counted) map(to: big)
    {
        result = one * 3;
        big -= 1;
        if (big == LONG_MAX / 3ll - 1) result *= 2;
#pragma omp parallel num_threads(4)
#pragma omp atomic
        counted += one;
    }
    printf("%ld %ld\n", result, counted - LONG_MIN);
#pragma omp target data map(tofrom: total)
    {
        total = -4;
#pragma omp target update to(total)
#pragma omp target map(tofrom: total)
        total *= 3000000000ll;
#pragma omp target update from(total)
        printf("%ld\n", total);
    }
#pragma omp target parallel for collapse(2) reduction(+: cells) map(to: rows) firstprivate(one)
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            cells += one < 0 ? (int)(i * j) : 1000;
    printf("%d %g\n", cells, (double)x[17]);
    return 0;
}
