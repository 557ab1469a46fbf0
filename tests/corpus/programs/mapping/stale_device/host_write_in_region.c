// The host changes a coefficient in the middle of a data region.
#include <stdio.h>
#define N 40

int main(void)
{
    double coef[N], out[N];
    int wrong = 0;
    for (int i = 0; i < N; i++)
        coef[i] = 1.0;
#pragma omp target data map(to: coef) map(from: out)
    {
        for (int i = 0; i < N; i++)
            coef[i] = 2.0 * i; // or-here
#pragma omp target update to(coef) //@ good
#pragma omp target teams distribute parallel for map(to: coef) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(always, to: coef) //@ good2
#pragma omp target teams distribute parallel for //@ good
        for (int i = 0; i < N; i++)
            out[i] = coef[i]; // or-here
    }
    for (int i = 0; i < N; i++)
        wrong |= out[i] != 2.0 * i;
    printf("%d\n", wrong);
    return wrong;
}
