/* A 2-D stencil of n * n points: PROGRAM N REPEATS INPUT OUTPUT. */
#include "gpu/omp/bench.h"
int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n;
    size_t size = (size_t)n * n;
    float *a = bench_input(size), *b = bench_array(size);
    #pragma omp target data map(to: a[0:size]) map(from: b[0:size])
    for (int round = 0; round < bench_repeats; round++) {
        double start = omp_get_wtime();
        #pragma omp target teams distribute parallel for collapse(2)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(b, size);
    return bench_end();
}
