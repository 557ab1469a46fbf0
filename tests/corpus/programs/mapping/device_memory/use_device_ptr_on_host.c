// Inside of use_device_ptr the name means the device's address.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

static void library(double *device_x, int n)
{
#pragma omp target is_device_ptr(device_x)
    for (int i = 0; i < n; i++)
        device_x[i] += 1.0;
}

int main(void)
{
    int n = 8;
    double *x = calloc(n, sizeof(double)), first = -1.0;
#pragma omp target data map(tofrom: x[0:n])
    {
#pragma omp target data use_device_ptr(x)
        {
            library(x, n);
            first = x[0]; //@ bad // expect: mapping
        }
#pragma omp target update from(x[0:1]) //@ good
        first = x[0]; //@ good
    }
    free(x);
    return first != 1.0;
}
