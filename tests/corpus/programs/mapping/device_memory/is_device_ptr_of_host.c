// is_device_ptr for memory of malloc.
#include <stdio.h>
#include <stdlib.h>

static void kernel(float *p, int n)
{
#pragma omp target teams distribute parallel for is_device_ptr(p) // or-here
    for (int i = 0; i < n; i++)
        p[i] = 1.0f; // or-here
}

int main(void)
{
    int n = 100;
    float *p = malloc(n * sizeof(float));
#pragma omp target data map(from: p[0:n])
    {
#pragma omp target data use_device_ptr(p) //@ good
        kernel(p, n); // expect: mapping
    }
    int wrong = p[50] != 1.0f;
    free(p);
    return wrong;
}
