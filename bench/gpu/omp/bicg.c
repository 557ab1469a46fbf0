/* bicg: s = A' r and q = A p. */
#include "bench.h"

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    int n = bench_n;
    size_t size = (size_t)n * n;
    float *a = bench_input(size), *r = bench_input(n), *p = bench_input(n), *s = bench_array(n), *q = bench_array(n);
    #pragma omp target data map(to: a[0:size], r[0:n], p[0:n]) map(from: s[0:n], q[0:n])
    for (int round = 0; round < bench_repeats; round++) {
        double start = omp_get_wtime();
        #pragma omp target teams distribute parallel for
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int i = 0; i < n; i++)
                sum += a[(size_t)i * n + j] * r[i];
            s[j] = sum;
        }
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++) {
            float sum = 0;
            for (int j = 0; j < n; j++)
                sum += a[(size_t)i * n + j] * p[j];
            q[i] = sum;
        }
        printf("%.9f\n", omp_get_wtime() - start);
    }
    bench_output(s, n);
    bench_output(q, n);
    return bench_end();
}
