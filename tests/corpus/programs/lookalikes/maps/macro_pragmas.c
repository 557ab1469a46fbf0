// Pragmas from macros, as portable codes have them.
#include <stdio.h>
#include <stdlib.h>
#define PRAGMA(x) _Pragma(#x)
#define OFFLOAD_ENTER(p, n) PRAGMA(omp target enter data map(to: p[0:n]))
#define OFFLOAD_EXIT(p, n) PRAGMA(omp target exit data map(from: p[0:n]))
#define OFFLOAD_FOR PRAGMA(omp target teams distribute parallel for)
#define LEN 44

int main(void)
{
    float *x = calloc(LEN, sizeof(float));
    OFFLOAD_ENTER(x, LEN)
    OFFLOAD_FOR
    for (int i = 0; i < LEN; i++)
        x[i] += 0.5f;
    OFFLOAD_EXIT(x, LEN)
    int wrong = x[43] != 0.5f;
    free(x);
    return wrong;
}
