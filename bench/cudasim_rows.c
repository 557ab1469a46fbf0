/* Rows of eight floats, each added up and scaled by parallel regions: PROGRAM N REPEATS INPUT OUTPUT.  Also a program for
   cudasim_bench.py.  All threads of a team run the code between the regions. */
#include "gpu/omp/bench.h"

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n * bench_n / 8;
    size_t size = (size_t)n * 8;
    float *a = bench_input(size), *sums = bench_array((size_t)n);
    int *begin = calloc((size_t)n + 1, sizeof *begin);
    for (int i = 0; i <= n; i++)
        begin[i] = i * 8;
    #pragma omp target data map(to: a[0:size], begin[0:n + 1]) map(from: sums[0:n])
    for (int round = 0; round < bench_repeats; round++) {
        #pragma omp target update to(a[0:size])
        double start = omp_get_wtime();
        #pragma omp target teams distribute
        for (int i = 0; i < n; i++) {
            float sum = 0;
            #pragma omp parallel for reduction(+: sum)
            for (int j = begin[i]; j < begin[i + 1]; j++)
                sum += a[j];
            #pragma omp parallel for
            for (int j = begin[i]; j < begin[i + 1]; j++)
                a[j] /= sum;
            sums[i] = sum;
        }
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(sums, (size_t)n);
    return bench_end();
}
