/* Rows of WIDTH floats, each scaled by a function with a parallel region: PROGRAM N REPEATS INPUT OUTPUT.  Also a program
   for cudasim_bench.py.  One thread of each team runs the rows, and the others wait for the regions. */
#include "gpu/omp/bench.h"

#ifndef WIDTH
#define WIDTH 8
#endif

#pragma omp declare target
static void scale(float *row, float by)
{
    #pragma omp parallel for
    for (int j = 0; j < WIDTH; j++)
        row[j] /= by;
}
#pragma omp end declare target

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n * bench_n / WIDTH;
    size_t size = (size_t)n * WIDTH;
    float *a = bench_input(size), *sums = bench_array((size_t)n);
    #pragma omp target data map(to: a[0:size]) map(from: sums[0:n])
    for (int round = 0; round < bench_repeats; round++) {
        #pragma omp target update to(a[0:size])
        double start = omp_get_wtime();
        #pragma omp target teams distribute
        for (int i = 0; i < n; i++) {
            float sum = 0;
            for (int j = 0; j < WIDTH; j++)
                sum += a[WIDTH * i + j];
            scale(&a[WIDTH * i], sum);
            sums[i] = a[WIDTH * i] + a[WIDTH * i + WIDTH - 1];
        }
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(sums, (size_t)n);
    return bench_end();
}
