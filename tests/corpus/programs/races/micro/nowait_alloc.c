#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n = 500;
    double *v = NULL;
    double s = 0;
    v = malloc(n * sizeof *v);
    if (!v) return 1;
    #pragma omp parallel
    {
        #pragma omp for schedule(dynamic) nowait //@ bad
        #pragma omp for schedule(dynamic) //@ good
        for (int i = 0; i < n; i++)
            v[i] = i;
        #pragma omp for reduction(+: s) // or-here
        for (int i = 0; i < n; i++)
            s += v[n - 1 - i]; // expect: race
    }
    printf("%g\n", s);
    free(v);
    return 0;
}
