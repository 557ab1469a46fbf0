// The barriers in the loop of a called function keep its accesses apart.
#include <omp.h>
#include <stdio.h>

static void rotate(int *from, int *to)
{
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int round = 0; round < 3; round++) {
        to[me] = from[(me + 1) % threads];
#pragma omp barrier
        from[me] = to[me];
#pragma omp barrier
    }
}

int main(void)
{
    int from[256], to[256], team = 0, wrong = 0;
#pragma omp parallel num_threads(8)
    {
        from[omp_get_thread_num()] = omp_get_thread_num();
#pragma omp single
        team = omp_get_num_threads();
        rotate(from, to);
    }
    for (int i = 0; i < team; i++)
        wrong += from[i] != (i + 3) % team;
    return wrong;
}
