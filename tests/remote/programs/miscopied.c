// What cannot be copied, as the device's addresses are mixed up, is told at once and harms nothing.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 18 };
#pragma omp declare target
static int table[N];
#pragma omp end declare target

int main(void)
{
    int host = omp_get_initial_device(), few[10] = {1, 2, 3}, *many = calloc(N, sizeof *many);
    int *p = omp_target_alloc(N * sizeof *p, 0), *q = omp_get_num_devices() > 1 ? omp_target_alloc(sizeof few, 1) : NULL;
    printf("%d", omp_target_memcpy(p, few, sizeof few, 0, 0, host, 0) != 0);          // device numbers swapped
    printf("%d", omp_target_memcpy(few, few, sizeof few, 0, 0, 0, 0) != 0);           // the host's addresses
    printf("%d", omp_target_memcpy(many, many, N * sizeof *many, 0, 0, 0, host) != 0); // more than one message
    printf("%d", omp_target_memcpy(many, many, N * sizeof *many, 0, 0, host, 0) != 0);
    if (q != NULL) printf("%d", omp_target_memcpy(p, q, sizeof few, 0, 0, 1, 0) != 0); // of two devices
    printf("%d", omp_target_memcpy(p, few, sizeof few, 0, 0, 0, host) != 0);
#pragma omp target is_device_ptr(p) map(tofrom: few)
    {
        few[0] = p[1] + p[2];
        table[N - 1] = 7;
    }
#pragma omp target update from(table)
    printf(" %d %d\n", few[0], table[N - 1]);
    if (q != NULL) omp_target_free(q, 1);
    omp_target_free(p, 0);
    free(many);
    return 0;
}
