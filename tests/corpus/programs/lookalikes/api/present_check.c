// Data is entered only when it is not there.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

static int ensure(float *p, int n)
{
    int dev = omp_get_default_device();
    if (omp_target_is_present(p, dev))
        return 0;
#pragma omp target enter data map(to: p[0:n])
    return 1;
}

static void triple(float *p, int n)
{
    int mine = ensure(p, n);
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        p[i] *= 3.0f;
    if (mine) {
#pragma omp target exit data map(from: p[0:n])
    } else {
#pragma omp target update from(p[0:n])
    }
}

int main(void)
{
    int n = 12;
    float *p = malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        p[i] = 1.0f;
    triple(p, n);
#pragma omp target data map(to: p[0:n])
    triple(p, n);
    int wrong = p[11] != 9.0f;
    free(p);
    return wrong;
}
