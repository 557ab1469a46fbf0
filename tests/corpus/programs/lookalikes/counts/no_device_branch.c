// Device data only when there is a device.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(void)
{
    int n = 64, *v = calloc(n, sizeof(int)), have = omp_get_num_devices() > 0;
#pragma omp target enter data map(to: v[0:n]) if(have)
    if (have) {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            v[i] = i;
    } else {
        for (int i = 0; i < n; i++)
            v[i] = i;
    }
#pragma omp target exit data map(from: v[0:n]) if(have)
    int wrong = v[63] != 63;
    free(v);
    return wrong;
}
