/* Dependences that gcc 12 does not know on target constructs: iterators (it crashes), inoutset, omp_all_memory. */
#include "../expect.h"

static void constructs(int n)
{
    int a[40] = {0}, b[40] = {0}, sum = 0, set = 1;
    for (int i = 0; i < n; i++) {
#pragma omp target nowait depend(out : a[i]) map(tofrom : a[i : 1])
        a[i] = i;
    }
#pragma omp target nowait depend(iterator(k = 0 : n), in : a[k]) depend(out : sum) map(to : a) map(tofrom : sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
#pragma omp target nowait depend(iterator(int k = n - 1 : -1 : -2, long j = 0 : 2), out : b[k + j - j]) map(tofrom : b)
    b[n - 1] = 5;
#pragma omp target depend(in : sum, b[n - 1]) map(to : sum) map(tofrom : b)
    b[0] = sum + b[n - 1];
    expect(b[0], n * (n - 1) / 2 + 5, "iterators");
    for (int i = 0; i < 3; i++) {
#pragma omp target nowait depend(inoutset : set) map(tofrom : a[i : 1])
        a[i] += 10;
    }
#pragma omp target nowait depend(inout : omp_all_memory) map(tofrom : a)
    a[3] = a[0] + a[1] + a[2];
#pragma omp target depend(in : set) map(tofrom : a)
    a[4] = a[3] + 1;
    expect(a[4], 10 + 11 + 12 + 1, "inoutset, omp_all_memory");
#pragma omp taskwait
}

int main(void)
{
    constructs(33);
#pragma omp parallel num_threads(2)
#pragma omp single
    constructs(20);
    return failures != 0;
}
