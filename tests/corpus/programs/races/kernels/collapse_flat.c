#include <stdio.h>
#include <stdlib.h>
void matmul(int n, const float *A, const float *B, float *C)
{
    #pragma omp target teams distribute parallel for collapse(2) map(to: A[:n*n], B[:n*n]) map(tofrom: C[:n*n]) //@ good // or-here
    #pragma omp target teams distribute parallel for collapse(3) map(to: A[:n*n], B[:n*n]) map(tofrom: C[:n*n]) //@ bad bad2 // or-here
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) { //@ good
            float s = 0; //@ good
        for (int j = 0; j < n; j++) //@ bad bad2
            for (int k = 0; k < n; k++)
                s += A[i * n + k] * B[k * n + j]; //@ good
                C[i * n + j] += A[i * n + k] * B[k * n + j]; //@ bad // expect: race
                C[i * n + k] = A[i * n + j] * B[k * n + j]; //@ bad2 // expect: race
            C[i * n + j] = s; //@ good
        } //@ good
}
int main(void)
{
    int n = 32;
    float *a = calloc(n * n, 4), *b = calloc(n * n, 4), *c = calloc(n * n, 4);
    matmul(n, a, b, c);
    printf("%g\n", c[5]);
    free(a), free(b), free(c);
    return 0;
}
