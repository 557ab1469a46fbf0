/* Copies much from a device, again and again, until a copy fails. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { SIZE = 64 << 20 };
    int host = omp_get_initial_device();
    char *here = malloc(SIZE), *there = omp_target_alloc(SIZE, 0);
    if (omp_target_memcpy(here, there, SIZE, 0, 0, host, 0) != 0) return 1;
    puts("copying");
    fflush(stdout);
    while (omp_target_memcpy(here, there, SIZE, 0, 0, host, 0) == 0) continue;
    puts("a copy failed");
    return 3;
}
