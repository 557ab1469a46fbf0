// The right end of host storage that was mapped.
#include <omp.h>
#include <stdlib.h>
int main(void)
{
    int n = 8, dev = omp_get_default_device();
    int *h = calloc(n, sizeof *h);
#pragma omp target enter data map(to: h[0:n])
#pragma omp target
    for (int i = 0; i < n; i++) h[i]++;
#pragma omp target exit data map(from: h[0:n])
    omp_target_free(h, dev); //@ bad // expect: mapping
    int r = h[0] != 1;
    free(h);
    return r;
}
