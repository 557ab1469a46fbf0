#include <stdio.h>
#include <stdlib.h>
void axpy2(int n, double a, const double *x, double *y, double *z)
{
    double last; //@ bad
    #pragma omp target data map(to: x[0:n]) map(tofrom: y[0:n], z[0:n])
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            y[i] += a * x[i];
        #pragma omp target teams distribute parallel for //@ good bad2 // or-here
        #pragma omp target teams distribute parallel for map(tofrom: last) //@ bad // or-here
        for (int i = 0; i < n; i++) {
            double last; //@ good bad2
            last = y[i] * 0.5; // expect: race [bad]
            z[i] += last; //@ good bad // or-here
            z[n - 1 - i] += last + z[i]; //@ bad2 // expect: race [bad2]
        }
    }
}
int main(void)
{
    int n = 100;
    double *x = calloc(n, 8), *y = calloc(n, 8), *z = calloc(n, 8);
    axpy2(n, 2, x, y, z);
    printf("%g\n", z[1]);
    free(x), free(y), free(z);
    return 0;
}
