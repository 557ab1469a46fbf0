// in_reduction and taskloop reduction: each task has its own copy.
#include <stdio.h>
#define N 30

int main(void)
{
    int s = 0, t = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+: s)
        for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+: s)
            s += i;
        }
#pragma omp taskloop reduction(+: t)
        for (int i = 0; i < N; i++)
            t += i;
    }
    return s != 435 || t != 435;
}
