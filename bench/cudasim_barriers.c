/* Kernels in which threads wait for each other: PROGRAM N REPEATS INPUT OUTPUT.  Also a program for cudasim_bench.py. */
#include "gpu/omp/bench.h"

/* Rows of n floats: each team adds up its rows by a parallel region with a reduction, then scales them in another one. */
int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n;
    size_t size = (size_t)n * n;
    float *a = bench_input(size), *sums = bench_array((size_t)n);
    #pragma omp target data map(to: a[0:size]) map(from: sums[0:n])
    for (int round = 0; round < bench_repeats; round++) {
        #pragma omp target update to(a[0:size])
        double start = omp_get_wtime();
        #pragma omp target teams distribute
        for (int i = 0; i < n; i++) {
            float sum = 0;
            #pragma omp parallel for reduction(+: sum)
            for (int j = 0; j < n; j++)
                sum += a[(size_t)i * n + j];
            #pragma omp parallel for
            for (int j = 0; j < n; j++)
                a[(size_t)i * n + j] /= sum;
            sums[i] = sum;
        }
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(sums, (size_t)n);
    return bench_end();
}
