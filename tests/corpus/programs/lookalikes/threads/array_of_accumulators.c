// An accumulator for each thread, added up afterwards; padded, and by pointer.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

typedef struct { double sum; char pad[56]; } slot;

int main(void)
{
    int threads = omp_get_max_threads(), n = 1000;
    slot *s = calloc(threads, sizeof *s);
    double total = 0.0;
#pragma omp parallel
    {
        slot *mine = &s[omp_get_thread_num()];
#pragma omp for
        for (int i = 0; i < n; i++)
            mine->sum += i;
    }
    for (int t = 0; t < threads; t++)
        total += s[t].sum;
    free(s);
    return total != 499500.0;
}
