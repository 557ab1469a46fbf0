#include <stdio.h>
#include <stdlib.h>
#define BINS 32
static void histogram(const float *x, int n, int *h)
{
    #pragma omp parallel for // or-here
    for (int i = 0; i < n; i++) {
        int b = (int)(x[i] * BINS) % BINS;
        #pragma omp atomic update //@ good
        h[b]++; // expect: race
    }
}
int main(void)
{
    float *x = malloc(10000 * sizeof *x);
    int h[BINS] = {0};
    for (int i = 0; i < 10000; i++) x[i] = (float)rand() / 2147483648.0f;
    histogram(x, 10000, h);
    printf("%d\n", h[0]);
    free(x);
    return 0;
}
