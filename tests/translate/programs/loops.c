/* Every form of a canonical loop, every schedule, collapse, lastprivate. */
#include <stdlib.h>

#include "expect.h"

#define N 1000
int main(void)
{
    int a[N];
    long sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (int i = N - 1; i >= 0; i--)
        sum += a[i];
    expect(sum, 499500, "down to 0");

    sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (unsigned i = 3; i <= 30; i += 3)
        sum += a[i];
    expect(sum, 165, "unsigned <= step 3");

    sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (size_t i = 10; i != 20; ++i)
        sum += a[i];
    expect(sum, 145, "!=");

    sum = 0;
    int i;
#pragma omp target parallel for reduction(+ : sum) map(tofrom : sum)
    for (i = 20; 10 < i; i = i - 2)
        sum += i;
    expect(sum, 80, "bound on the left, i = i - 2");

    sum = 0;
    int *base = a;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) map(to : base[0 : N])
    for (int *p = base; p < base + N; p += 7)
        sum += *p % 2;
    expect(sum, 71, "pointer");

    sum = 0;
#pragma omp target teams distribute parallel for collapse(3) reduction(+ : sum) map(tofrom : sum)
    for (int x = 1; x < 5; x++)
        for (long y = 10; y > 0; y -= 3)
            for (int z = -2; z <= 2; z += 2)
                sum += x * 100 + y * 10 + z;
    expect(sum, 12 * 1000 + 12 * 220, "collapse(3)");
    sum = 0;
#pragma omp target teams distribute parallel for collapse(3u - sizeof(char)) reduction(+ : sum) map(tofrom : sum)
    for (int x = 1; x < 5; x++)
        for (int y = 0; y < 3; y++)
            sum += x * 10 + y;
    expect(sum, 312, "collapse of a computed number");

    int none = 7;
#pragma omp target teams distribute parallel for map(tofrom : none)
    for (int k = 5; k < 5; k++)
        none = 0;
    expect(none, 7, "no iterations");

    int last = -1, counter = -1;
#pragma omp target parallel for lastprivate(last) map(tofrom : last)
    for (int k = 0; k < 77; k++)
        last = k * 2;
    expect(last, 152, "lastprivate");
#pragma omp target parallel for lastprivate(counter) map(tofrom : counter)
    for (counter = 0; counter < 77; counter += 5)
        a[counter] = 0;
    expect(counter, 80, "lastprivate counter");
    int carried = 5;
#pragma omp target map(tofrom : carried)
#pragma omp parallel for firstprivate(carried) lastprivate(carried)
    for (int k = 0; k < 77; k++)
        carried += k == 76 ? k : 0;
    expect(carried, 81, "firstprivate and lastprivate");

    int chunk = 4;
    for (int k = 0; k < N; k++)
        a[k] = 0;
#pragma omp target teams distribute parallel for schedule(static, chunk) dist_schedule(static, 64) num_teams(3) thread_limit(32)
    for (int k = 0; k < N; k++)
        a[k] += k;
#pragma omp target teams distribute parallel for schedule(static)
    for (int k = 0; k < N; k++)
        a[k] += k;
#pragma omp target teams distribute parallel for schedule(dynamic, 3) num_teams(2)
    for (int k = 0; k < N; k++)
        a[k] += k;
#pragma omp target teams distribute parallel for simd schedule(guided)
    for (int k = 0; k < N; k++)
        a[k] += k;
#pragma omp target teams loop
    for (int k = 0; k < N; k++)
        a[k] += k;
#pragma omp target teams distribute
    for (int k = 0; k < N; k++)
        a[k] += k;
#pragma omp target simd
    for (int k = 0; k < N; k++)
        a[k] += k;
#pragma omp target
#pragma omp teams distribute parallel for
    for (int k = 0; k < N; k++)
        a[k] += k;
    sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[k] != 8 * k;
    expect(sum, 0, "schedules");
    return failures != 0;
}
