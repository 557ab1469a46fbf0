/* Loops of tasks: grain sizes, numbers, types, final and undeferred ones, what tasks reduce; `scope`. */
#include <stdint.h>
#include <stdio.h>

enum { N = 100 };

int main(void)
{
    int a[N] = {0}, sum = 0, product = 1, nested = 0, shared = 0, met = 0, threads = 0, grains = 0, each = 0, none = 5;
    int64_t large = 0;
    double parts = 0;

#pragma omp target map(tofrom: a, sum, product, nested, shared, met, threads, large, parts, grains, each, none)
    {
#pragma omp parallel
#pragma omp single
        {
#pragma omp taskloop
            for (int i = 0; i < N; i++) a[i] += i;
#pragma omp taskloop grainsize(7)
            for (int i = N - 1; i > 0; i -= 3) a[i] *= 2;
#pragma omp taskloop num_tasks(9) firstprivate(a)
            for (uint64_t i = 3; i < N; i += 2) {
                a[i]++; /* of the copy */
#pragma omp atomic
                sum += a[i];
            }
#pragma omp taskloop if(0)
            for (int i = 0; i < N; i++) a[i] += 2;
#pragma omp taskloop final(1) collapse(2) nogroup
            for (int i = 0; i < 10; i++)
                for (int j = 0; j < 10; j++) a[i * 10 + j] -= j;
#pragma omp taskwait
#pragma omp taskloop reduction(+: sum, large) grainsize(4)
            for (int i = 0; i < N; i++) sum += a[i], large += (int64_t)i << 33;
#pragma omp taskloop reduction(*: none)
            for (int i = 0; i < a[0] - 2; i++) none *= 3;
#pragma omp taskloop grainsize(8) shared(grains)
            for (int i = 0; i < 17; i++)
#pragma omp atomic
                grains += i;
#pragma omp taskloop num_tasks(300)
            for (int i = 0; i < 3; i++)
#pragma omp atomic
                each += i;
        }
#pragma omp parallel num_threads(6)
#pragma omp single
#pragma omp taskgroup task_reduction(+: nested, shared) task_reduction(*: product)
        {
            for (int i = 1; i < 8; i++) {
#pragma omp task in_reduction(*: product) firstprivate(i)
                product *= i;
#pragma omp task in_reduction(+: nested, shared)
                {
#pragma omp taskgroup task_reduction(+: shared)
                    for (int k = 0; k < 3; k++) {
#pragma omp task in_reduction(+: shared, nested) firstprivate(k)
                        shared += k, nested += 10;
                    }
                    nested++;
                }
            }
        }
#pragma omp parallel
        {
#pragma omp scope reduction(+: met, parts)
            met++, parts += 0.5;
#pragma omp scope nowait
            {
                int mine = 1;
#pragma omp atomic
                threads += mine;
            }
        }
        met = met == threads && parts == 0.5 * met;
        threads = 0, parts = 0;
#pragma omp taskgroup
#pragma omp parallel num_threads(3) reduction(+: parts)
        parts++;
        parts = parts >= 1 && parts <= 3;
#pragma omp taskloop reduction(+: threads)
        for (int i = 0; i < 5; i++) threads += i;
    }
    for (int i = 0; i < N; i++) sum = sum * 3 + a[i];
    printf("%d %d %d %d %d %d %lld %d %d %d %g\n", sum, product, nested, shared, met, threads, (long long)large, grains, each, none, parts);
    return 0;
}
