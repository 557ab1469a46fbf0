// A product of matrices of any shape.
#include <stdio.h>
#include <stdlib.h>
static void gemm(int M, int N, int K, const float *restrict A, const float *restrict B, float *restrict C)
{
#pragma omp target teams distribute parallel for collapse(2) map(to: A[0:M * K], B[0:K * N]) map(from: C[0:M * N]) //@ good
#pragma omp target teams distribute parallel for collapse(2) map(to: A[0:M * K], B[0:K * N]) map(from: C[0:M]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for collapse(2) map(to: A[0:M], B[0:K * N]) map(from: C[0:M * N]) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for collapse(2) map(to: A[0:M * K], B[0:K * N]) map(alloc: C[0:M * N]) //@ bad3 // expect: mapping [bad3]
#pragma omp target teams distribute parallel for collapse(2) map(to: A[0:M * K], B[0:K * K]) map(from: C[0:M * N]) //@ bad4 // expect: mapping [bad4]
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += A[i * K + k] * B[k * N + j]; // expect: mapping [bad2 bad4]
            C[i * N + j] = s; // expect: mapping [bad]
        }
}
int main(int argc, char **argv)
{
    int M = 16, N = 24, K = 8;
    if (argc == 4) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }
    float *A = malloc(sizeof(float) * M * K), *B = malloc(sizeof(float) * K * N), *C = malloc(sizeof(float) * M * N);
    for (int i = 0; i < M * K; i++) A[i] = 1;
    for (int i = 0; i < K * N; i++) B[i] = 2;
    gemm(M, N, K, A, B, C);
    for (int i = 0; i < M * N; i++)
        if (C[i] != 2.0f * K) return 1; // expect: mapping [bad3]
    puts("ok");
    free(A); free(B); free(C);
    return 0;
}
