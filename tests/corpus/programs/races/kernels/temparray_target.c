#include <stdio.h>
#include <stdlib.h>
void fir(const float *in, float *out, int n)
{
    float window[8];
    #pragma omp target teams distribute parallel for map(to: in[0:n]) map(from: out[0:n]) private(window) //@ good
    #pragma omp target teams distribute parallel for map(to: in[0:n]) map(from: out[0:n]) map(alloc: window) //@ bad // or-here
    #pragma omp target map(to: in[0:n]) map(from: out[0:n]) firstprivate(window) //@ bad2
    #pragma omp teams distribute parallel for //@ bad2 // or-here
    for (int i = 0; i < n - 8; i++) {
        float s = 0;
        for (int k = 0; k < 8; k++)
            window[k] = in[i + k] * (k + 1); // expect: race
        for (int k = 0; k < 8; k++)
            s += window[7 - k]; // or-here
        out[i] = s;
    }
}
int main(void)
{
    int n = 256;
    float *a = calloc(n, 4), *b = calloc(n, 4);
    fir(a, b, n);
    printf("%g\n", b[3]);
    free(a), free(b);
    return 0;
}
