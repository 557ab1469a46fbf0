#include <stdio.h>
#include <stdlib.h>
#define NBINS 64
void histogram(const unsigned char *data, size_t n, unsigned *bins)
{
    #pragma omp target teams distribute parallel for map(to: data[0:n]) map(tofrom: bins[0:NBINS])
    for (size_t i = 0; i < n; i++) {
        int b = data[i] * NBINS / 256;
        #pragma omp atomic update //@ good
        bins[b] += 1; // expect: race
    }
}
int main(void)
{
    unsigned char *d = malloc(10000); unsigned bins[NBINS] = {0};
    for (int i = 0; i < 10000; i++) d[i] = rand() & 255;
    histogram(d, 10000, bins);
    printf("%u\n", bins[0]);
    return 0;
}
