// Matrix times vector with everything in globals, as in a first port.
#include <stdio.h>
#include <stdlib.h>
#define N 60

static double *mat, *vec, *out;

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            mat[i * N + j] = (double)(i + j);
        vec[i] = 1.0;
        out[i] = 0.0;
    }
}

static void multiply(void)
{
#pragma omp target map(alloc: mat[0:N*N]) map(to: vec[0:N]) map(from: out[0:N]) //@ bad // expect: mapping
#pragma omp target map(to: mat[0:N*N], vec[0:N]) map(from: out[0:N]) //@ good
#pragma omp target map(to: mat[0:N*N], vec[0:N]) map(tofrom: out[0:N]) //@ good2
    {
#pragma omp teams distribute parallel for
        for (int i = 0; i < N; i++) {
            out[i] = 0.0;
            for (int j = 0; j < N; j++)
                out[i] += mat[i * N + j] * vec[j]; // or-here
        }
    }
}

static int check(void)
{
    for (int i = 0; i < N; i++)
        if (out[i] != N * i + N * (N - 1) / 2.0)
            return 1;
    return 0;
}

int main(void)
{
    mat = malloc(N * N * sizeof(double));
    vec = malloc(N * sizeof(double));
    out = malloc(N * sizeof(double));
    fill();
    multiply();
    int wrong = check();
    printf("%s\n", wrong ? "wrong" : "right");
    free(mat);
    free(vec);
    free(out);
    return wrong;
}
