#include <stdio.h>
#define N 300
int main(void)
{
    int a[N], last = -1, r[4] = {0};
    for (int i = 0; i < N; i++) a[i] = i;
    #pragma omp parallel num_threads(4)
    {
        #pragma omp for lastprivate(last) nowait //@ bad
        #pragma omp for lastprivate(last) //@ good
        for (int i = 0; i < N; i++)
            last = a[i];
        #pragma omp single // or-here
        r[0] = last; // expect: race
    }
    printf("%d\n", r[0]);
    return 0;
}
