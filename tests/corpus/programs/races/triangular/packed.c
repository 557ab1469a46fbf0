// Forces: each pair (i, j) with j < i is added to both.
#include <stdio.h>
#define N 40

int main(void)
{
    double f[N] = { 0 }, sum = 0.0;
#pragma omp parallel for
    for (int i = 1; i < N; i++)
        for (int j = 0; j < i; j++) {
#pragma omp atomic //@ good
            f[i] += 1.0; //@ bad good // or-here
#pragma omp atomic //@ good
            f[j] -= 1.0; //@ bad good // expect: race
            f[i] += 1.0; //@ good2
        }
    for (int i = 0; i < N; i++)
        sum += f[i];
    return sum != 0.0 && sum != N * (N - 1) / 2;
}
