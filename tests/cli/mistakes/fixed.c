/* Each function has one mistake and returns 0 once that is fixed: a test runs all of them before and after. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40 };
struct vec { int n; double *p; };
static int linked[N];
#pragma omp declare target link(linked)

int freed_while_mapped(void)
{
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        int *a = malloc(N * sizeof *a);
        for (int i = 0; i < N; i++) a[i] = round;
        #pragma omp target enter data map(to: a[0:N])
        #pragma omp target teams distribute parallel for map(tofrom: sum) reduction(+: sum)
        for (int i = 0; i < N; i++) sum += a[i];
        free(a);
    }
    return sum != N;
}

__attribute__((noinline)) static int doubled(int n)
{
    int table[N], result = 0;
    for (int i = 0; i < N; i++) table[i] = n;
    #pragma omp target enter data map(to: table)
    #pragma omp target map(from: result)
    result = 2 * table[n];
    return result;
}

int local_stays_mapped(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += doubled(i);
    return sum != 6;
}

int nothing_was_written(void)
{
    double t = 7, a[4] = {0};
    #pragma omp target data map(tofrom: a) map(from: t)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < 4; i++) a[i] = i;
        t = 8;
    }
    return t != 8 || a[3] != 3;
}

int nothing_was_written_until_exit(void)
{
    double t = 7;
    #pragma omp target enter data map(alloc: t)
    t = 8;
    #pragma omp target exit data map(from: t)
    return t != 8;
}

int a_border_is_lost(void)
{
    double *y = malloc(N * sizeof *y), sum = 0;
    y[0] = y[N - 1] = 1;
    #pragma omp target teams distribute parallel for map(from: y[0:N])
    for (int i = 1; i < N - 1; i++) y[i] = 2;
    for (int i = 0; i < N; i++) sum += y[i];
    return sum != 2 * N - 2;
}

int device_memory_is_mapped(void)
{
    double *x = omp_target_alloc(N * sizeof *x, 0), last = 0;
    #pragma omp target map(tofrom: last) map(to: x[0:N])
    {
        for (int i = 0; i < N; i++) x[i] = i;
        last = x[N - 1];
    }
    omp_target_free(x, 0);
    return last != N - 1;
}

int a_member_is_not_attached(void)
{
    struct vec v = {N, malloc(N * sizeof(double))};
    for (int i = 0; i < v.n; i++) v.p[i] = i;
    #pragma omp target enter data map(to: v.p[:v.n])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < v.n; i++) v.p[i] += 1;
    #pragma omp target exit data map(from: v.p[:v.n])
    return v.p[3] != 4;
}

int a_member_is_not_mapped(void)
{
    struct vec v;
    v.n = N;
    v.p = malloc(N * sizeof(double));
    for (int i = 0; i < v.n; i++) v.p[i] = i;
    #pragma omp target map(tofrom: v)
    for (int i = 0; i < v.n; i++) v.p[i] += 1;
    return v.p[3] != 4;
}

int a_pointer_is_not_mapped(void)
{
    int *a = malloc(N * sizeof *a);
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++) a[i] = i;
    return a[N - 1] != N - 1;
}

static int from_linked(int i) { return linked[i]; }

int a_linked_variable_is_not_mapped(void)
{
    int x = 0;
    for (int i = 0; i < N; i++) linked[i] = i;
    #pragma omp target map(tofrom: x)
    x = from_linked(9);
    return x != 9;
}

int a_section_is_too_short(void)
{
    int a[N + 1] = {0}, *p = a;
    #pragma omp target teams distribute parallel for map(tofrom: p[0:N])
    for (int i = 0; i < N; i++) p[i + 1] = 1;
    return a[N] != 1;
}

int a_result_is_lost(void)
{
    int hits = 0, total = 0;
    #pragma omp target
    hits = 3;
    total += hits;
    return total != 3;
}

int a_table_comes_back_only_by_to(void)
{
    int a[N] = {0}, sum = 0;
    #pragma omp target teams distribute parallel for map(to: a)
    for (int i = 0; i < N; i++) a[i] = 1;
    for (int i = 0; i < N; i++) sum += a[i];
    return sum != N;
}

int the_host_has_newer_values(void)
{
    int a[N] = {0}, last = 0;
    #pragma omp target data map(to: a)
    {
        a[N - 1] = 5;
        #pragma omp target map(from: last)
        last = a[N - 1];
    }
    return last != 5;
}

int the_device_has_newer_values(void)
{
    int a[N] = {0}, last = 0;
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < N; i++) a[i] = i;
        last = a[N - 1];
    }
    return last != N - 1;
}

int a_private_copy_starts_without_value(void)
{
    int scale = 3, a[N] = {0};
    #pragma omp target teams distribute parallel for private(scale) map(from: a)
    for (int i = 0; i < N; i++) a[i] = scale;
    return a[7] != 3;
}

int an_update_has_the_wrong_direction(void)
{
    int a[N] = {0};
    #pragma omp target data map(to: a)
    {
        #pragma omp target
        a[0] = 5;
        #pragma omp target update to(a)
    }
    return a[0] != 5;
}

__attribute__((noinline)) static void tripled(int n, int *result)
{
    int table[N];
    for (int i = 0; i < N; i++) table[i] = n;
    #pragma omp target enter data map(to: table)
    #pragma omp target map(from: result[0:1])
    result[0] = 3 * table[n];
}

int local_stays_mapped_at_the_end(void)
{
    int sum = 0, one = 0;
    for (int i = 0; i < 3; i++) {
        tripled(i, &one);
        sum += one;
    }
    return sum != 9;
}

int a_section_goes_beyond_the_storage(void)
{
    int *a = calloc(N, sizeof *a), sum = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: a[0:10000000 * N]) map(tofrom: sum)
    for (int i = 0; i < N; i++) sum += a[i] + 1;
    free(a);
    return sum != N;
}

int a_task_is_not_waited_for(void)
{
    int x = 0, seen = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task shared(x)
        x = 1;
        seen = x;
    }
    return seen != 1;
}

static int (*const mistakes[])(void) = {
    freed_while_mapped, local_stays_mapped, nothing_was_written, nothing_was_written_until_exit, a_border_is_lost,
    device_memory_is_mapped, a_member_is_not_attached, a_member_is_not_mapped, a_pointer_is_not_mapped,
    a_linked_variable_is_not_mapped, a_section_is_too_short, a_result_is_lost, a_table_comes_back_only_by_to,
    the_host_has_newer_values, the_device_has_newer_values, a_private_copy_starts_without_value,
    an_update_has_the_wrong_direction, local_stays_mapped_at_the_end, a_section_goes_beyond_the_storage,
    a_task_is_not_waited_for,
};

int main(int argc, char **argv)
{
    return argc > 1 ? mistakes[atoi(argv[1])]() : (int)(sizeof mistakes / sizeof *mistakes);
}
