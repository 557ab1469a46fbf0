#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n;
    if (scanf("%d", &n) != 1 || n < 1) n = 10;
    double *x = malloc(sizeof(double) * n), t = 0;
    for (int i = 0; i < n; i++) x[i] = 1.0 / (i + 1);
    #pragma omp target teams distribute parallel for map(to: x[0:n-1]) map(tofrom: t) reduction(+: t) //@ bad // expect: mapping
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: t) reduction(+: t) //@ good
    for (int i = 0; i < n; i++) t += x[i]; // or-here
    printf("%g\n", t);
    free(x);
    return 0;
}
