/* atax: y = A' (A x), a thread a row, then a thread a column. */
#include "bench.h"

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n;
    size_t size = (size_t)n * n;
    float *a = bench_input(size), *x = bench_input(n), *y = bench_array(n), *t = bench_array(n);
    #pragma omp target data map(to: a[0:size], x[0:n]) map(alloc: t[0:n]) map(from: y[0:n])
    for (int round = 0; round < bench_repeats; round++) {
        double start = omp_get_wtime();
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++) {
            float sum = 0;
            for (int j = 0; j < n; j++)
                sum += a[(size_t)i * n + j] * x[j];
            t[i] = sum;
        }
        #pragma omp target teams distribute parallel for
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int i = 0; i < n; i++)
                sum += a[(size_t)i * n + j] * t[i];
            y[j] = sum;
        }
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(y, n);
    return bench_end();
}
