/* The names of the devices, as they are numbered. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int found = 0;
    for (int d = 0; d < omp_get_num_devices(); d++) {
        #pragma omp target device(d) map(tofrom: found)
        found += 1;
        printf("%s ", omp_get_uid_from_device(d));
    }
    printf("%d\n", found);
    return 0;
}
