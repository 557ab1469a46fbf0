/* Uses each device, says so, and ends when its standard input does. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    for (int d = 0; d < omp_get_num_devices(); d++) {
        #pragma omp target device(d)
        for (volatile long i = 0; i < 30000000; i++) continue;
    }
    puts("used");
    fflush(stdout);
    while (getchar() != EOF) continue;
    return 3;
}
