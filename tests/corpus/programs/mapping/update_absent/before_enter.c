// An update of an array before it is on the device.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 25;
    float *v = malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        v[i] = (float)i;
#pragma omp target enter data map(alloc: v[0:n]) //@ good
#pragma omp target update to(v[0:n]) // expect: mapping
#pragma omp target enter data map(alloc: v[0:n]) //@ bad // or-here
#pragma omp target
    for (int i = 0; i < n; i++)
        v[i] *= 2.0f; // or-here
#pragma omp target exit data map(from: v[0:n])
    int wrong = v[3] != 6.0f;
    free(v);
    printf("%d\n", wrong);
    return wrong;
}
