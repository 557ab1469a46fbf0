/* A piece of memory that goes from device to device for ever. */
#include <omp.h>
#include <stdlib.h>

#define SIZE (8 << 20)

int main(void)
{
    int devices = omp_get_num_devices();
    char *there[16];
    for (int d = 0; d < devices; d++)
        if ((there[d] = omp_target_alloc(SIZE, d)) == NULL) return 2;
    for (int d = 0;; d = (d + 1) % devices)
        if (omp_target_memcpy(there[(d + 1) % devices], there[d], SIZE, 0, 0, (d + 1) % devices, d) != 0) return 3;
}
