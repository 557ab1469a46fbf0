/* Prefix sums on constructs that are combined with target, which gcc 12 does not know. */
#include "../expect.h"

int main(void)
{
    int a[50], b[50], x = 100, y = 0, high = -1, n = 50, last = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma omp target parallel for reduction(inscan, + : x) map(from : b) num_threads(7)
    for (int i = 0; i < n; i++) {
        x += a[i];
#pragma omp scan inclusive(x)
        b[i] = x;
    }
    expect(b[0], 100, "the first of inclusive sums");
    expect(b[49], 1325, "the last of inclusive sums");
    expect(x, 1325, "the sum comes back");
#pragma omp target parallel for simd reduction(inscan, + : y) map(from : b) map(tofrom : y) if (target : n > 0)
    for (int i = 0; i < n; i++) {
        b[i] = y;
#pragma omp scan exclusive(y)
        y += a[i];
    }
    expect(b[0], 0, "the first of exclusive sums");
    expect(b[49], 1176, "the last of exclusive sums");
    expect(y, 1225, "a sum that is mapped");
#pragma omp target simd reduction(inscan, max : high) map(from : b) lastprivate(last)
    for (int i = 0; i < 50; i++) {
        high = a[49 - i] % 7 * 10 > high ? a[49 - i] % 7 * 10 : high;
        last = i;
#pragma omp scan inclusive(high)
        b[i] = high;
    }
    expect(b[0], 0, "the first maximum");
    expect(b[1], 60, "the next maximum");
    expect(high, 60, "the maximum");
    expect(last, 49, "lastprivate");
    return failures != 0;
}
