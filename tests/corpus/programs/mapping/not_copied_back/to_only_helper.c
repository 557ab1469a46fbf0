// A library function that maps its result `to`.
#include <stdio.h>

void histogram(const unsigned char *pixels, int n, int bins[256])
{
    for (int i = 0; i < 256; i++)
        bins[i] = 0;
#pragma omp target map(to: pixels[0:n], bins[0:256]) //@ bad // expect: mapping
#pragma omp target map(to: pixels[0:n]) map(tofrom: bins[0:256]) //@ good
    for (int i = 0; i < n; i++)
        bins[pixels[i]]++; // or-here
}

int main(void)
{
    static unsigned char image[4096];
    int bins[256];
    for (int i = 0; i < 4096; i++)
        image[i] = (unsigned char)(i % 100);
    histogram(image, 4096, bins);
    int pixels = 0;
    for (int i = 0; i < 256; i++)
        pixels += bins[i]; // or-here
    printf("%d pixels counted\n", pixels);
    return pixels != 4096;
}
