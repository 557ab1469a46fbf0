// Global pointers in a map clause, without sections.
#include <stdio.h>
#include <stdlib.h>
#define N 77

double *alpha;
double *beta;
double array[N];

static void init(void)
{
    alpha = malloc(sizeof(double[N]));
    beta = malloc(N * sizeof(*beta));
    for (int i = 0; i < N; i++) {
        alpha[i] = 0.5 * i;
        array[i] = 2.0;
    }
}

static void compute(void)
{
#pragma omp target map(tofrom: alpha, beta, array) //@ bad // expect: mapping
#pragma omp target map(tofrom: alpha[:N], beta[:N], array) //@ good
    for (int i = 0; i < N; i++)
        beta[i] = array[i] * alpha[i]; // or-here
}

int main(void)
{
    init();
    compute();
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong |= beta[i] != i;
    free(alpha);
    free(beta);
    printf("%d\n", wrong);
    return wrong;
}
