// Sizes in bytes where elements are counted.
#include <stdlib.h>
#include <string.h>

int main(void)
{
    size_t n = 100, bytes = n * sizeof(double);
    double *in = malloc(bytes), *out = malloc(bytes);
    for (size_t i = 0; i < n; i++)
        in[i] = (double)i;
    memset(out, 0, bytes);
#pragma omp target enter data map(to: in[0:n]) map(alloc: out[0:n]) //@ good bad2
#pragma omp target enter data map(to: in[0:bytes]) map(alloc: out[0:bytes]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] * in[i];
#pragma omp target update from(out[0:n]) //@ good bad
#pragma omp target update from(out[0:bytes]) //@ bad2 // expect: mapping [bad2]
#pragma omp target exit data map(delete: in[0:n], out[0:n])
    int bad = 0;
    for (size_t i = 0; i < n; i++)
        bad |= out[i] != (double)(i * i);
    free(in);
    free(out);
    return bad;
}
