// The device number comes from the environment; data and kernel use the same variable.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

static int pick(void)
{
    const char *s = getenv("MY_DEVICE");
    int d = s ? atoi(s) : omp_get_default_device();
    return d < omp_get_num_devices() ? d : omp_get_initial_device();
}

int main(void)
{
    int dev = pick(), n = 40, *v = calloc(n, sizeof(int));
#pragma omp target enter data map(to: v[0:n]) device(dev)
#pragma omp target teams distribute parallel for device(dev)
    for (int i = 0; i < n; i++)
        v[i] = 2 * i;
#pragma omp target exit data map(from: v[0:n]) device(dev)
    int wrong = v[39] != 78;
    free(v);
    return wrong;
}
