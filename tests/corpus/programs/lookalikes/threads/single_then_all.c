// What `single` makes with tasks, all threads may read after its barrier.
#include <stdio.h>
#include <stdlib.h>
#define N 24

int main(void)
{
    int *v = NULL, sums[4] = { 0 }, total = 0;
#pragma omp parallel num_threads(4) shared(v, sums)
    {
#pragma omp single
        {
            v = malloc(N * sizeof(int));
            for (int b = 0; b < N; b += 6) {
#pragma omp task firstprivate(b) shared(v)
                for (int i = b; i < b + 6; i++)
                    v[i] = i;
            }
        }
#pragma omp for
        for (int k = 0; k < 4; k++)
            for (int i = 6 * k; i < 6 * k + 6; i++)
                sums[k] += v[i];
#pragma omp single
        {
            free(v);
            total = sums[0] + sums[1] + sums[2] + sums[3];
        }
    }
    return total != 276;
}
