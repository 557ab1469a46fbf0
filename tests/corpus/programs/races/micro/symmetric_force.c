#include <stdio.h>
#define N 64
static double x[N], f[N];
static double pull(int i, int j) { double d = x[i] - x[j]; return d / (1 + d * d); }
int main(void)
{
    for (int i = 0; i < N; i++) x[i] = i * 0.1;
    #pragma omp parallel for schedule(guided) // or-here
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            double p = pull(i, j);
            #pragma omp atomic //@ good
            f[i] += p; // or-here
            #pragma omp atomic //@ good
            f[j] -= p; // expect: race
        }
    printf("%g\n", f[3]);
    return 0;
}
