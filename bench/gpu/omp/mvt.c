/* mvt: x1 = x1 + A y1 and x2 = x2 + A' y2. */
#include "bench.h"

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n;
    size_t size = (size_t)n * n;
    float *a = bench_input(size), *y1 = bench_input(n), *y2 = bench_input(n), *x1 = bench_input(n), *x2 = bench_input(n);
    #pragma omp target data map(to: a[0:size], y1[0:n], y2[0:n]) map(alloc: x1[0:n], x2[0:n])
    {
        for (int round = 0; round < bench_repeats; round++) {
            #pragma omp target update to(x1[0:n], x2[0:n])
            double start = omp_get_wtime();
            #pragma omp target teams distribute parallel for
            for (int i = 0; i < n; i++) {
                float sum = x1[i];
                for (int j = 0; j < n; j++)
                    sum += a[(size_t)i * n + j] * y1[j];
                x1[i] = sum;
            }
            #pragma omp target teams distribute parallel for
            for (int j = 0; j < n; j++) {
                float sum = x2[j];
                for (int i = 0; i < n; i++)
                    sum += a[(size_t)i * n + j] * y2[i];
                x2[j] = sum;
            }
            printf("%.9f\n", omp_get_wtime() - start);
        }
        #pragma omp target update from(x1[0:n], x2[0:n])
    }
    bench_output(x1, n);
    bench_output(x2, n);
    return bench_end();
}
