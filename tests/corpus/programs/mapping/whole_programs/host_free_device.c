// Wrong functions for the wrong memory.
#include <omp.h>
#include <stdlib.h>

int main(void)
{
    int dev = omp_get_default_device(), n = 10;
    float *d = omp_target_alloc(n * sizeof *d, dev);
    float *h = malloc(n * sizeof *h);
#pragma omp target is_device_ptr(d) map(from: h[0:n]) //@ good bad bad2
#pragma omp target is_device_ptr(d, h) //@ bad4 // expect: mapping [bad4]
    for (int i = 0; i < n; i++) {
        d[i] = (float)i;
        h[i] = d[i] + 1; // or-here [bad4]
    }
    int bad = h[3] != 4;
    omp_target_free(d, dev); //@ good bad2 bad4
    free(d); //@ bad // expect: mapping [bad]
    free(h);
    omp_target_free(d, dev); //@ bad2 // expect: mapping [bad2]
    return bad;
}
