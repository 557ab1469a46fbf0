// Each thread counts the nearest of the same few for itself; its number was asked for before the shared loop.
#include <stdlib.h>
#include <omp.h>
#define K 8
#define N 4096

int main(void)
{
    static double x[N];
    double c[K];
    int threads = omp_get_max_threads(), all = 0;
    int (*count)[K] = calloc(threads, sizeof *count);
    for (int i = 0; i < N; i++)
        x[i] = i % 97;
    for (int k = 0; k < K; k++)
        c[k] = 12.0 * k;
#pragma omp parallel
    {
        int t = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < N; i++) {
            int best = 0;
            for (int k = 1; k < K; k++)
                if (x[i] > c[k])
                    best = k;
            count[t][best]++;
        }
    }
    for (int t = 0; t < threads; t++)
        for (int k = 0; k < K; k++)
            all += count[t][k];
    free(count);
    return all != N;
}
