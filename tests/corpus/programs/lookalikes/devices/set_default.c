// The default device changes; the data goes with it and comes back.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(void)
{
    int n = 10, *v = calloc(n, sizeof(int)), old = omp_get_default_device();
    int count = omp_get_num_devices();
    if (count > 1)
        omp_set_default_device(1);
#pragma omp target data map(tofrom: v[0:n])
    {
#pragma omp target
        for (int i = 0; i < n; i++)
            v[i] = 1;
    }
    omp_set_default_device(old);
#pragma omp target map(tofrom: v[0:n])
    for (int i = 0; i < n; i++)
        v[i] += 1;
    int wrong = v[9] != 2;
    free(v);
    return wrong;
}
