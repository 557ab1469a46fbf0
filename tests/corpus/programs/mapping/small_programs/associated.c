// Device memory that the program associates with an array.
#include <omp.h>
#include <stdlib.h>
int main(void)
{
    int n = 12, dev = omp_get_default_device();
    int *h = calloc(n, sizeof *h), *d = omp_target_alloc(n * sizeof *d, dev);
    if (!d) return 0;
    omp_target_associate_ptr(h, d, n * sizeof *h, 0, dev); // or-here
#pragma omp target update to(h[0:n]) //@ good bad bad2
#pragma omp target map(tofrom: h[0:n]) // or-here
    for (int i = 0; i < n; i++) h[i] += 4; // expect: mapping [bad3]
#pragma omp target update from(h[0:n]) //@ good bad bad3
    int r = h[n - 1]; // expect: mapping [bad2]
    omp_target_disassociate_ptr(h, dev); //@ good bad2 bad3
    omp_target_free(d, dev); // or-here
    free(h); // expect: mapping [bad]
    return r != 4;
}
