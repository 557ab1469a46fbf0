// The section of `enter data` is too short for the kernel of another function.
#include <stdio.h>
#include <stdlib.h>
#define N 90

static int *src, *dst;

static void upload(void)
{
#pragma omp target enter data map(to: src[0:N-1]) map(alloc: dst[0:N]) //@ bad // expect: mapping
#pragma omp target enter data map(to: src[0:N]) map(alloc: dst[0:N]) //@ good
}

static void reverse(void)
{
#pragma omp target teams distribute parallel for // or-here
    for (int i = 0; i < N; i++)
        dst[i] = src[N - 1 - i]; // or-here
}

int main(void)
{
    src = malloc(N * sizeof(int));
    dst = malloc(N * sizeof(int));
    for (int i = 0; i < N; i++)
        src[i] = 3 * i + 1;
    upload();
    reverse();
#pragma omp target exit data map(from: dst[0:N]) map(release: src[0:N]) // or-here
    int wrong = dst[0] != 3 * N - 2;
    free(src);
    free(dst);
    return wrong;
}
