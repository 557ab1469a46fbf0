/* A 1-D stencil of n * n points: PROGRAM N REPEATS INPUT OUTPUT. */
#include "gpu/omp/bench.h"
int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n, size = n * n;
    float *a = bench_input((size_t)size), *b = bench_array((size_t)size);
    #pragma omp target data map(to: a[0:size]) map(from: b[0:size])
    for (int round = 0; round < bench_repeats; round++) {
        double start = omp_get_wtime();
        #pragma omp target teams distribute parallel for
        for (int i = 1; i < size - 1; i++)
            b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(b, (size_t)size);
    return bench_end();
}
