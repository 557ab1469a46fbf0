/* wide: copies of an int64_t, which is a `long` for the host and longer than one on the core. */
#include <stdint.h>
#include <stdio.h>

enum { N = 100 };

#pragma omp declare target
int64_t step = 3000000000;
#pragma omp end declare target

int main(void)
{
    int64_t values[N], sum = -1, last = 0, first = INT64_C(1) << 40;
    for (int i = 0; i < N; i++)
        values[i] = i * INT64_C(10000000000);

    #pragma omp target parallel for map(to: values) map(tofrom: sum, last) firstprivate(first) \
        reduction(+: sum) lastprivate(last)
    for (int i = 0; i < N; i++) {
        last = values[i] + first;
        sum += values[i];
    }
    #pragma omp target parallel firstprivate(step) map(tofrom: sum)
    sum += step;

    int64_t expected = N * (N - 1) / 2 * INT64_C(10000000000) - 1 + step;
    int wrong = sum != expected || last != values[N - 1] + first;
    printf("wide: the sum is %lld, %s\n", (long long)sum, wrong ? "WRONG" : "correct");
    return wrong;
}
