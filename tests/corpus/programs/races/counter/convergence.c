// convergence flag: every thread resets
#include <stdio.h>
#define N 128
int main(void)
{
    double x[N]; int iters = 0, left;
    for (int i = 0; i < N; i++) x[i] = i;
    #pragma omp target data map(tofrom: x)
    do {
        left = 0;
        #pragma omp target teams distribute parallel for map(tofrom: left) //@ bad
        #pragma omp target teams distribute parallel for map(tofrom: left) reduction(+: left) //@ good
        for (int i = 0; i < N; i++) {
            x[i] *= 0.5;
            if (x[i] > 1e-3) left = left + 1; // expect: race
        }
    } while (left && ++iters < 100);
    printf("%d\n", iters);
    return 0;
}
