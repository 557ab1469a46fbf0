// Only one thread writes: the guard says which.
#include <stdio.h>
#include <omp.h>

int main(void)
{
    int threads = 0, first = -1, last[4] = { 0 };
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0)
            threads = omp_get_num_threads();
#pragma omp master
        first = omp_get_thread_num();
        last[omp_get_thread_num()] = 1;
    }
    return threads < 1 || first != 0 || last[0] != 1;
}
