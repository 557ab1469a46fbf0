// A look-up table is built on the device and then used on the device and on the host.
#include <stdlib.h>

static unsigned char *lut;

static void build(int gamma)
{
    lut = malloc(256);
#pragma omp target enter data map(alloc: lut[0:256])
#pragma omp target teams distribute parallel for firstprivate(gamma)
    for (int i = 0; i < 256; i++)
        lut[i] = (unsigned char)((i * gamma) >> 4);
#pragma omp target update from(lut[0:256]) //@ good bad2
}

static void apply(unsigned char *img, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: img[0:n]) //@ good bad
#pragma omp target teams distribute parallel for map(from: img[0:n]) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < n; i++)
        img[i] = lut[img[i]]; // or-here [bad2]
}

static void destroy(void)
{
#pragma omp target exit data map(delete: lut[0:256])
    free(lut);
    lut = NULL;
}

int main(void)
{
    unsigned char img[100];
    int bad = 0;
    for (int i = 0; i < 100; i++)
        img[i] = (unsigned char)i;
    build(8);
    apply(img, 100);
    for (int i = 0; i < 100; i++)
        bad |= img[i] != lut[i]; //@ good bad bad2 // expect: mapping [bad]
    destroy(); //@ good bad bad2
    return bad;
}
