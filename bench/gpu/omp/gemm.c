/* gemm: C = 1.5 A B + 0.5 C, a thread an element. */
#include "bench.h"

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n;
    size_t size = (size_t)n * n;
    float *a = bench_input(size), *b = bench_input(size), *c = bench_input(size);
    #pragma omp target data map(to: a[0:size], b[0:size]) map(alloc: c[0:size])
    {
        for (int round = 0; round < bench_repeats; round++) {
            #pragma omp target update to(c[0:size])
            double start = omp_get_wtime();
            #pragma omp target teams distribute parallel for collapse(2)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    float sum = 0;
                    for (int k = 0; k < n; k++)
                        sum += a[(size_t)i * n + k] * b[(size_t)k * n + j];
                    c[(size_t)i * n + j] = 1.5f * sum + 0.5f * c[(size_t)i * n + j];
                }
            printf("%.9f\n", omp_get_wtime() - start);
        }
        #pragma omp target update from(c[0:size])
    }
    bench_output(c, size);
    return bench_end();
}
