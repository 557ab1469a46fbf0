// Each device gets a block of the array, in a loop over the devices.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(void)
{
    int parts = omp_get_num_devices(), n = 120, wrong = 0;
    if (parts < 1)
        parts = 1;
    int *v = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        v[i] = i;
    for (int d = 0; d < parts; d++) {
        int from = d * n / parts, to = (d + 1) * n / parts;
#pragma omp target enter data map(to: v[from:to-from]) device(d)
    }
    for (int d = 0; d < parts; d++) {
        int from = d * n / parts, to = (d + 1) * n / parts;
#pragma omp target teams distribute parallel for device(d)
        for (int i = from; i < to; i++)
            v[i] += 1;
    }
    for (int d = 0; d < parts; d++) {
        int from = d * n / parts, to = (d + 1) * n / parts;
#pragma omp target exit data map(from: v[from:to-from]) device(d)
    }
    for (int i = 0; i < n; i++)
        wrong |= v[i] != i + 1;
    free(v);
    return wrong;
}
