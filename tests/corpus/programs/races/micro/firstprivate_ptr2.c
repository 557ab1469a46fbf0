#include <stdio.h>
#include <stdlib.h>
#define N 300
int main(void)
{
    double *tmp = malloc(4 * sizeof *tmp), r[N];
    #pragma omp parallel for firstprivate(tmp) //@ bad // or-here
    #pragma omp parallel for private(tmp) //@ good
    for (int i = 0; i < N; i++) {
        tmp = malloc(4 * sizeof *tmp); //@ good
        tmp[0] = i; // expect: race
        tmp[1] = tmp[0] * 2; // or-here
        r[i] = tmp[0] + tmp[1]; // or-here
        free(tmp); //@ good
    }
    printf("%g\n", r[9]);
    free(tmp); //@ bad
    return 0;
}
