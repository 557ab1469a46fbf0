/* Where a region for each device runs. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    for (int d = 0; d < omp_get_num_devices(); d++) {
        int host = -1;
        #pragma omp target device(d) map(from: host)
        host = omp_is_initial_device();
        puts(host ? "host" : "there");
        fflush(stdout);
    }
    return 3;
}
