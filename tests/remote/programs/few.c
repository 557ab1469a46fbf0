/* Where one region runs. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int host = -1;
    #pragma omp target map(from: host)
    host = omp_is_initial_device();
    printf("on %s\n", host ? "the host" : "a device");
    return 0;
}
