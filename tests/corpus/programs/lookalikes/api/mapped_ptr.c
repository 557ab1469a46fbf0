// The device address of mapped data, kept in a variable of its own.
#include <stdio.h>
#include <omp.h>

int main(void)
{
    int v[20] = { 0 }, *dv = NULL;
#pragma omp target data map(from: v)
    {
#pragma omp target data use_device_addr(v)
        dv = &v[0];
#pragma omp target is_device_ptr(dv)
        for (int i = 0; i < 20; i++)
            dv[i] = i;
    }
    return v[19] != 19;
}
