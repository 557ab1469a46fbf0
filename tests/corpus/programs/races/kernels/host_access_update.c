#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n = 4096;
    double *buf = malloc(n * sizeof *buf);
    for (int i = 0; i < n; i++)
        buf[i] = i;
    #pragma omp target enter data map(to: buf[0:n])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        buf[i] += 1;
    #pragma omp target update from(buf[0:n]) nowait //@ good bad // or-here
    #pragma omp target update from(buf[0:n]) //@ good2
    #pragma omp taskwait //@ good
    double s = buf[n - 1]; // expect: race
    #pragma omp taskwait
    #pragma omp target exit data map(release: buf[0:n])
    printf("%g\n", s);
    free(buf);
    return 0;
}
