#include <math.h>
#include <stdio.h>
#define N 64
static double A[N][N], v[N], w[N];
int main(void)
{
    double norm = 0, lambda = 0;
    for (int i = 0; i < N; i++) {
        v[i] = 1;
        for (int j = 0; j < N; j++)
            A[i][j] = 1.0 / (i + j + 1);
    }
    for (int it = 0; it < 20; it++) {
        norm = 0;
        #pragma omp parallel
        {
            #pragma omp for
            for (int i = 0; i < N; i++) {
                double s = 0;
                for (int j = 0; j < N; j++)
                    s += A[i][j] * v[j]; // or-here
                w[i] = s; // or-here
            }
            #pragma omp for reduction(+: norm) //@ good
            for (int i = 0; i < N; i++) //@ good
                norm += w[i] * w[i]; //@ good
            for (int i = 0; i < N; i++) //@ bad
                norm += w[i] * w[i]; //@ bad // expect: race [bad]
            #pragma omp for
            for (int i = 0; i < N; i++)
                v[i] = w[i] / sqrt(norm); // or-here
        }
        lambda = sqrt(norm);
    }
    printf("%g\n", lambda);
    return 0;
}
