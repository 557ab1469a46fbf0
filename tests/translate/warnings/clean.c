/* Every kind of construct; what gcc says of it under all of its warnings is said of the host half, at the same places. */
#include <stdio.h>
#include <stdlib.h>

struct row { char tag[8]; double *values; long n; };
#pragma omp declare target
static long counter = 3;
#pragma omp end declare target
#define ON_DEVICE _Pragma("omp target map(tofrom: x)")
#define CLAUSES map(tofrom: a[0 : n]) num_teams(4)
#define COUNT 7

static void all(double *a, long n, int device);
static long twice(long n);

static long twice(long n)
{
    return 2 * n;
}

static void all(double *a, long n, int device)
{
    int x = 0;
    struct row one = {"one", a, n};
    #pragma omp target enter data map(to: a[0 : n]) device(device) if(n > 1)
    long before = counter;
    #pragma omp target teams distribute parallel for device(device) map(tofrom: a[0 : n]) \
        num_teams(twice(n)) if(target: n > 2) thread_limit(64) schedule(static, 2) /* a comment */
    for (long i = 0; i < n; i++)
        a[i] += 1;
    #pragma omp target update from(a[0 : n], counter)
    double first = a[0];
    #pragma omp target teams distribute parallel for CLAUSES
    for (long i = 0; i < n; i++)
        a[i] += COUNT;
    if (n > 3)
        #pragma omp target map(tofrom: x) firstprivate(before)
        x = (int)before; else x = 2;
    ON_DEVICE x++;
    #pragma omp target data map(tofrom: x) map(to: a[0 : n]) use_device_ptr(a)
    {
        #pragma omp target is_device_ptr(a) nowait depend(iterator(long i = 0 : n), in: a[i]) depend(inout: x)
        x += (int)a[0];
        #pragma omp taskwait
        int after = x;
        printf("%d\n", after);
    } printf("%g\n", first);
    #pragma omp target map(tofrom: one) map(tofrom: counter)
    { one.values[0] = 2; counter++; }
    #pragma omp target parallel for reduction(+: x) if(n > 4) nowait
    for (long i = 0; i < n; i++)
        x += 2;
    #pragma omp taskgroup
    { x++; }
    #pragma omp target exit data map(from: a[0 : n])
}

int main(void)
{
    double a[40] = {0};
    all(a, 40, 0);
    return 0;
}
