// All threads store the same in one variable, and each reads it after it has stored it.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

static int answer(void) { return 42; }

int main(void)
{
    int threads, share, told, *of_thread, sum = 0;
#pragma omp parallel reduction(+: sum)
    {
        threads = omp_get_num_threads();
        share = (100 + threads - 1) / threads;
        told = answer();
#pragma omp single
        of_thread = malloc(threads * sizeof *of_thread);
        of_thread[omp_get_thread_num()] = told;
        if (threads > 1)
            sum += told + 0 * share;
    }
    printf("%d %d %d\n", threads, told, of_thread[0]);
    int wrong = of_thread[0] != 42 || (threads > 1 && sum != 42 * threads);
    free(of_thread);
    return wrong;
}
