/* 3dconv: a 3 x 3 x 3 stencil with eleven coefficients; a thread owns a column (j, k) and walks along i. */
#include "bench.h"

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n;
    size_t size = (size_t)n * n * n;
    float *a = bench_input(size), *b = bench_array(size);
    #pragma omp target data map(to: a[0:size]) map(tofrom: b[0:size])
    for (int round = 0; round < bench_repeats; round++) {
        double start = omp_get_wtime();
        #pragma omp target teams distribute parallel for collapse(2)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                for (int i = 1; i < n - 1; i++) {
                    const float *at = a + ((size_t)i * n + j) * n + k;
                    const float *down = at - (size_t)n * n, *up = at + (size_t)n * n;
                    b[((size_t)i * n + j) * n + k] =
                        2 * down[-n - 1] + 4 * up[-n - 1] + 5 * down[-n + 1] + 7 * up[-n + 1] - 8 * down[n - 1] +
                        10 * up[n - 1] - 3 * at[-n] + 6 * at[0] - 9 * at[n] + 2 * down[1] + 4 * up[1];
                }
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(b, size);
    return bench_end();
}
