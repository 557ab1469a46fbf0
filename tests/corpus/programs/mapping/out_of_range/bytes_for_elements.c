// sizeof in an array section
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    float *v = (float *)malloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++) v[i] = 1.f;
    #pragma omp target data map(tofrom: v[0:n*sizeof(float)]) //@ bad // expect: mapping
    #pragma omp target data map(tofrom: v[0:n]) //@ good
    {
        #pragma omp target teams distribute parallel for
        for (size_t i = 0; i < n; i++) v[i] *= 2.f;
    }
    printf("%g\n", v[n - 1]);
    free(v);
    return 0;
}
