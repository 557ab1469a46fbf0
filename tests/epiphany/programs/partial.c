/* What threads share beyond iterations: partial results of `scan`, what tasks reduce in worksharing constructs. */
#include <omp.h>
#include <stdio.h>

enum { N = 100 };

int main(void)
{
    int a[N], sums[N], before[N], most[N], total = 0, tasks = 5, ordered = 0, sections = 1, scoped = 0, joined = 0, guided = 0;
    double parts[3] = {0}, product = 1;
    long long far = 0;
    for (int i = 0; i < N; i++) a[i] = i * 7 % 23 - 5;
#pragma omp target map(to: a) map(from: sums, before, most) map(tofrom: total)
    {
        int sum = 3, top = -100, so_far = 0;
#pragma omp parallel
        {
#pragma omp for reduction(inscan, +: sum)
            for (int i = 0; i < N; i++) {
                sum += a[i];
#pragma omp scan inclusive(sum)
                sums[i] = sum;
            }
#pragma omp for reduction(inscan, max: top)
            for (int i = 0; i < N; i++) {
                top = a[i] > top ? a[i] : top;
#pragma omp scan inclusive(top)
                most[i] = top;
            }
        }
#pragma omp parallel for reduction(inscan, +: so_far) num_threads(5)
        for (int i = 0; i < N; i++) {
            before[i] = so_far;
#pragma omp scan exclusive(so_far)
            so_far += a[i];
        }
        total = sum + so_far;
    }
    printf("%d", total);
    for (int i = 0; i < N; i++) printf(" %d %d %d", sums[i], before[i], most[i]);
#pragma omp target map(tofrom: tasks, ordered, sections, scoped, joined, guided, parts, product, far)
    {
#pragma omp parallel reduction(task, +: tasks) reduction(task, *: product)
        {
#pragma omp single
            for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+: tasks) in_reduction(*: product) firstprivate(i)
                {
                    tasks += i;
                    if (i % 50 == 0) product *= 3;
                }
            }
        }
#pragma omp parallel
        {
#pragma omp for reduction(task, +: joined) schedule(dynamic)
            for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+: joined)
                joined += i;
            }
#pragma omp for reduction(task, +: parts[0:3])
            for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+: parts[0:3])
                parts[i % 3] += i;
                parts[0] += 1;
            }
#pragma omp for reduction(task, +: ordered) ordered schedule(dynamic, 3)
            for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+: ordered)
                ordered += i;
#pragma omp ordered
                joined = joined * 3 % 10007 + i;
            }
#pragma omp sections reduction(task, +: sections)
            {
#pragma omp section
#pragma omp task in_reduction(+: sections)
                sections += 10;
#pragma omp section
                sections += 100;
            }
#pragma omp scope reduction(task, +: scoped)
            {
                if (omp_get_thread_num() == 0) {
#pragma omp task in_reduction(+: scoped)
                    scoped += 7;
                }
            }
#pragma omp for reduction(task, +: far)
            for (unsigned long long i = 1; i < 50; i += 3) {
#pragma omp task in_reduction(+: far)
                far += (long long)i << 33;
            }
        }
#pragma omp parallel for reduction(task, +: guided) schedule(guided, 4)
        for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+: guided)
            guided += i;
        }
    }
    printf("\n%d %g %d %d %d %d %d %lld %g %g %g\n", tasks, product, joined, ordered, sections, scoped, guided, far, parts[0], parts[1], parts[2]);
    return 0;
}
