// Memory of omp_target_alloc is mapped as if it were the host's.
#include <stdio.h>
#include <omp.h>

int main(void)
{
    int dev = omp_get_default_device(), n = 10, sum = 0;
    int *d = omp_target_alloc(n * sizeof(int), dev);
    if (!d)
        return 2;
#pragma omp target map(tofrom: d[0:n]) map(tofrom: sum) device(dev) //@ bad // expect: mapping
#pragma omp target is_device_ptr(d) map(tofrom: sum) device(dev) //@ good
    for (int i = 0; i < n; i++) {
        d[i] = i;
        sum += d[i];
    }
    omp_target_free(d, dev);
    return sum != 45;
}
