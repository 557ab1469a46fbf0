#include <omp.h>
#include <stdio.h>
#define N 100000
static int x[N], y[N];
static int partial[257];
int main(void)
{
    for (int i = 0; i < N; i++)
        x[i] = i & 3;
    #pragma omp parallel num_threads(8)
    {
        int t = omp_get_thread_num(), nt = omp_get_num_threads();
        int sum = 0;
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++) {
            sum += x[i];
            y[i] = sum;
        }
        partial[t + 1] = sum; // expect: race [bad]
        #pragma omp barrier //@ good bad2
        int before = 0;
        for (int k = 0; k <= t; k++)
            before += partial[k]; // or-here
        #pragma omp for schedule(static) nowait //@ good bad
        #pragma omp for schedule(static, 16) nowait //@ bad2 // or-here
        for (int i = 0; i < N; i++)
            y[i] += before;
        #pragma omp single //@ bad2
        printf("%d\n", y[N - 1]); //@ bad2 // expect: race [bad2]
        (void)nt;
    }
    printf("%d\n", y[N - 1]);
    return 0;
}
