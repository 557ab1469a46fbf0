/* gramschmidt: A = Q R by columns; per column its norm, its scaling, and its removal from the columns behind it. */
#include "bench.h"
#include <math.h>

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n;
    size_t size = (size_t)n * n;
    float *a = bench_input(size), *r = bench_array(size), *q = bench_array(size);
    #pragma omp target data map(alloc: a[0:size]) map(tofrom: r[0:size], q[0:size])
    for (int round = 0; round < bench_repeats; round++) {
        #pragma omp target update to(a[0:size])
        double start = omp_get_wtime();
        for (int k = 0; k < n; k++) {
            #pragma omp target
            {
                float norm = 0;
                for (int i = 0; i < n; i++)
                    norm += a[(size_t)i * n + k] * a[(size_t)i * n + k];
                r[(size_t)k * n + k] = sqrtf(norm);
            }
            #pragma omp target teams distribute parallel for
            for (int i = 0; i < n; i++)
                q[(size_t)i * n + k] = a[(size_t)i * n + k] / r[(size_t)k * n + k];
            #pragma omp target teams distribute parallel for
            for (int j = k + 1; j < n; j++) {
                float sum = 0;
                for (int i = 0; i < n; i++)
                    sum += q[(size_t)i * n + k] * a[(size_t)i * n + j];
                r[(size_t)k * n + j] = sum;
                for (int i = 0; i < n; i++)
                    a[(size_t)i * n + j] -= q[(size_t)i * n + k] * sum;
            }
        }
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(r, size);
    bench_output(q, size);
    return bench_end();
}
