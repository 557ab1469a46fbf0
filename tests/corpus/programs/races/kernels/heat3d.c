#include <stdio.h>
#include <stdlib.h>
#define IDX(i, j, k) (((i) * n + (j)) * n + (k))
void step(int n, const float *restrict a, float *restrict b, float *total)
{
    float sum = 0;
    #pragma omp target teams distribute parallel for collapse(3) map(to: a[0:n*n*n]) map(tofrom: b[0:n*n*n]) map(tofrom: sum) reduction(+: sum) //@ good bad2 // or-here
    #pragma omp target teams distribute parallel for collapse(3) map(to: a[0:n*n*n]) map(tofrom: b[0:n*n*n]) map(tofrom: sum) //@ bad // or-here
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++) {
                float v = a[IDX(i, j, k)] + 0.1f * (a[IDX(i + 1, j, k)] + a[IDX(i - 1, j, k)] - 2 * a[IDX(i, j, k)]);
                b[IDX(i, j, k)] = v; //@ good bad
                b[IDX(i, j, k)] = v + b[IDX(i, j, k - 1)]; //@ bad2 // expect: race [bad2]
                sum += v; // expect: race [bad]
            }
    *total = sum;
}
int main(void)
{
    int n = 20;
    float *a = calloc(n * n * n, 4), *b = calloc(n * n * n, 4), t;
    a[IDX(5, 5, 5)] = 1;
    step(n, a, b, &t);
    printf("%g\n", t);
    free(a), free(b);
    return 0;
}
