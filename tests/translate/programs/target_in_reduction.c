/* in_reduction on a target construct: what the region adds arrives with what the tasks of the group add. */
#include <stdio.h>
#include <stdlib.h>

struct pair {
    double x, y;
};
#pragma omp declare reduction(both : struct pair : omp_out.x += omp_in.x, omp_out.y += omp_in.y) \
    initializer(omp_priv = (struct pair){0, 0})

/* Many at once, which all add to the same elements. */
static int many(void)
{
    int a[4] = {1, 2, 3, 4}, m[2][3] = {{0}}, n = 4, *p = malloc(n * sizeof *p);
    struct pair v = {1, 2};
    for (int i = 0; i < n; i++)
        p[i] = i;
    for (int repeated = 0; repeated < 50; repeated++) {
#pragma omp taskgroup task_reduction(+ : a, m, p[0 : n]) task_reduction(both : v)
        for (int k = 0; k < n; k++) {
#pragma omp target in_reduction(+ : a, m, p[0 : n]) in_reduction(both : v) nowait
            {
                a[k] += k;
                a[0]++;
                m[k % 2][k % 3]++;
                p[k] += k;
                p[0]++;
                v.x++;
                v.y += k;
            }
        }
    }
    int failures = a[0] != 201 || a[3] != 154 || p[0] != 200 || p[3] != 153 || m[0][0] != 50 || m[1][0] != 50;
    failures += v.x != 201 || v.y != 302;
    if (failures)
        printf("%d %d, %d %d, %d %d, %g %g\n", a[0], a[3], p[0], p[3], m[0][0], m[1][0], v.x, v.y);
    free(p);
    return failures;
}

int main(void)
{
    int sum = 5, failures = 0;
/* The parallel region comes first: behind a reducing taskgroup outside of one, gcc 12's libgomp frees the team of a
   parallel region while a thread of it still leaves it. */
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp target in_reduction(+ : sum) nowait
        for (int i = 0; i < 10; i++)
            sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1000;
    }
    if (sum != 1050) {
        printf("sum: %d, not 1050\n", sum);
        failures++;
    }
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp target in_reduction(+ : sum) nowait
        for (int i = 0; i < 10; i++)
            sum += i;
#pragma omp target in_reduction(+ : sum)
        sum += 100;
    }
    if (sum != 1195) {
        printf("sum: %d, not 1195\n", sum);
        failures++;
    }
    failures += many();
    return failures != 0;
}
