#include <stdio.h>
#include <stdlib.h>
void lu(double *A, int n)
{
    #pragma omp target data map(tofrom: A[0:n * n]) // or-here [bad2]
    for (int k = 0; k < n; k++) {
        #pragma omp target teams distribute parallel for //@ good bad2
        for (int i = k + 1; i < n; i++) //@ good bad2
            A[i * n + k] /= A[k * n + k]; //@ good bad2 // or-here [bad2]
        #pragma omp target teams distribute parallel for //@ good // or-here
        #pragma omp target teams distribute parallel for nowait //@ bad2 // or-here
        #pragma omp target teams distribute parallel for collapse(2) //@ bad // or-here
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) //@ good bad2
            for (int j = k; j < n; j++) //@ bad
                A[i * n + j] -= A[i * n + k] * A[k * n + j]; // expect: race
    }
}
int main(void)
{
    int n = 40;
    double *A = malloc(n * n * sizeof *A);
    for (int i = 0; i < n * n; i++)
        A[i] = 1 + i % 7;
    lu(A, n);
    printf("%g\n", A[n + 1]);
    free(A);
    return 0;
}
