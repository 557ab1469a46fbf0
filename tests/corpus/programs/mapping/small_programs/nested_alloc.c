// A function maps what its caller has only allocated.
#include <stdlib.h>
#include <string.h>
static void brighten(unsigned char *img, size_t len, int by)
{
#pragma omp target teams distribute parallel for map(tofrom: img[:len])
    for (size_t i = 0; i < len; i++) // or-here [bad]
        img[i] += by; // expect: mapping [bad]
}
int main(void)
{
    size_t len = 640;
    unsigned char *img = malloc(len);
    memset(img, 3, len);
#pragma omp target data map(tofrom: img[:len]) //@ good
#pragma omp target data map(alloc: img[:len]) //@ bad // or-here [bad]
    {
        brighten(img, len, 4);
        brighten(img, len, 5);
    }
    int ok = 1;
    for (size_t i = 0; i < len; i++) ok &= img[i] == 12;
    free(img);
    return !ok;
}
