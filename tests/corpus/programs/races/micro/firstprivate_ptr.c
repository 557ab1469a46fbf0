#include <stdio.h>
#include <stdlib.h>
#define N 300
int main(void)
{
    double *tmp = malloc(4 * sizeof *tmp), r[N];
    #pragma omp parallel for firstprivate(tmp) // or-here
    for (int i = 0; i < N; i++) {
        double own[4]; //@ good
        double *t = own; //@ good
        double *t = tmp; //@ bad
        t[0] = i; // expect: race
        t[1] = t[0] * 2; // or-here
        r[i] = t[0] + t[1]; // or-here
    }
    printf("%g\n", r[9]);
    free(tmp);
    return 0;
}
