// The pointer that is mapped was never set.
#include <stdio.h>
#include <stdlib.h>
#define M 10

float *src, *dst;

static void prepare(void)
{
    src = malloc(M * sizeof(float));
    dst = malloc(M * sizeof(float)); //@ good
    for (int i = 0; i < M; i++)
        src[i] = 1.0f;
}

int main(void)
{
    prepare();
#pragma omp target map(to: src[0:M]) map(from: dst[0:M]) // expect: mapping
    for (int i = 0; i < M; i++)
        dst[i] = src[i]; // or-here
    if (dst[M - 1] != 1.0f) // or-here
        return 1;
    free(src);
    free(dst);
    return 0;
}
