/* Reductions of the program's own, of structures, and of sections of arrays, at every construct that may have them. */
#include <float.h>
#include <stdlib.h>

#include "expect.h"

typedef struct {
    double re, im;
} number;
struct range {
    int low, high;
    long seen[3];
};
#pragma omp declare target
static void widen(struct range *to, const struct range *with)
{
    if (with->low < to->low)
        to->low = with->low;
    if (with->high > to->high)
        to->high = with->high;
    for (int k = 0; k < 3; k++)
        to->seen[k] += with->seen[k];
}
static void nothing(struct range *r)
{
    r->low = 1 << 30;
    r->high = -(1 << 30);
    for (int k = 0; k < 3; k++)
        r->seen[k] = 0;
}
#pragma omp end declare target
#pragma omp declare reduction(+ : number : omp_out.re += omp_in.re, omp_out.im += omp_in.im)
#pragma omp declare reduction(widen : struct range : widen(&omp_out, &omp_in)) initializer(nothing(&omp_priv))
#pragma omp declare reduction(longest : int : omp_out = abs(omp_in) > abs(omp_out) ? omp_in : omp_out) \
    initializer(omp_priv = 0)
#pragma omp declare reduction(times : double, float : omp_out *= omp_in) initializer(omp_priv = 1)
#pragma omp declare reduction(sum : number : omp_out.re += omp_in.re, omp_out.im += omp_in.im) \
    initializer(omp_priv = (number){.im = 0, .re = 0})
#pragma omp declare reduction(sum : struct range : widen(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct range){1 << 30, -(1 << 30)})

static void with_literals(int n)
{
    number z = {1, 2};
    struct range r = {1 << 30, -(1 << 30)};
#pragma omp target teams distribute parallel for reduction(sum : z, r) map(tofrom : z, r)
    for (int i = 0; i < n; i++) {
        struct range one = {i, i};
        z.re += i;
        z.im--;
        widen(&r, &one);
    }
    expect(z.re, 1 + n * (n - 1) / 2, "a literal with names");
    expect(z.im, 2 - n, "its other member");
    expect(r.high - r.low, n - 1, "a literal");
}

static void declared(int n)
{
    number sum = {1, 2};
    struct range all = {0, 0, {1, 2, 3}};
    int far = 3;
    double product = 2;
    float twice = 1;
#pragma omp target teams distribute parallel for map(tofrom : sum, all, far, product, twice) num_teams(3) \
    reduction(+ : sum) reduction(widen : all) reduction(longest : far) reduction(times : product, twice)
    for (int i = 0; i < n; i++) {
        sum.re += i;
        sum.im -= 1;
        int value = i % 2 ? i : -i;
        if (value < all.low)
            all.low = value;
        if (value > all.high)
            all.high = value;
        all.seen[i % 3]++;
        if (i <= 70 && abs(value) > abs(far))
            far = value;
        if (i % 50 == 0)
            product *= 2;
        if (i < 5)
            twice *= 2;
    }
    expect(sum.re, 1 + n * (n - 1) / 2.0, "own +, first member");
    expect(sum.im, 2 - n, "own +, second member");
    expect(all.low, -(n - 1 - (n - 1) % 2), "a function as combiner: low");
    expect(all.high, n - 1 - n % 2, "a function as combiner: high");
    expect((double)(all.seen[0] + all.seen[1] + all.seen[2]), 6 + n, "a function as combiner: array");
    expect(far, -70, "a conditional combiner");
    expect(product, 2 * (double)(1 << ((n + 49) / 50)), "declared for double");
    expect(twice, 32, "declared for float");
}

static void sections_of_arrays(int n)
{
    double *heap = calloc(40, sizeof *heap), grid[3][4] = {{0}};
    int fixed[10] = {0}, from = 2, count = 5;
#pragma omp target teams distribute parallel for map(tofrom : heap[0 : 40]) reduction(+ : heap[10 : 20])
    for (int i = 0; i < n; i++)
        heap[10 + i % 20] += i;
    for (int k = 0; k < 40; k++) {
        double want = 0;
        for (int i = 0; i < n; i++)
            want += k >= 10 && k < 30 && i % 20 == k - 10 ? i : 0;
        expect(heap[k], want, "a section through a pointer");
    }
#pragma omp target parallel for map(tofrom : heap[0 : 40]) map(tofrom : fixed) firstprivate(from, count) \
    reduction(max : heap[: count]) reduction(- : fixed[from : count]) num_threads(40)
    for (int i = 0; i < n; i++) {
        heap[i % count] = heap[i % count] > i ? heap[i % count] : i;
        fixed[from + i % count] -= 1;
    }
    for (int k = 0; k < 10; k++) {
        if (k < count)
            expect(heap[k], n - 5 + k, "a section of variable length");
        expect(fixed[k], k >= from && k < from + count ? -n / 5 : 0, "a section of an array");
    }
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : grid) reduction(+ : grid)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 12; j++)
            grid[j / 4][j % 4] += j;
#pragma omp target parallel for map(tofrom : grid) reduction(+ : grid[1 : 2])
    for (int i = 0; i < n; i++)
        grid[1 + i % 2][3] += 1;
    for (int j = 0; j < 12; j++)
        expect(grid[j / 4][j % 4], (double)n * j + (j == 7 || j == 11 ? n / 2 : 0), "a matrix");
    free(heap);
}

static void places(void)
{
    struct range one = {5, 5, {0}};
    int in_teams = 0, in_tasks = 0, in_loop = 0, in_scope = 0, in_simd = 0, nested = 0;
#pragma omp target teams num_teams(4) thread_limit(32) map(tofrom : one, in_teams) reduction(widen : one) \
    reduction(+ : in_teams)
    {
        one.low = 4;
        one.seen[0] += 2;
        in_teams += 1;
#pragma omp parallel for reduction(+ : in_teams)
        for (int i = 0; i < 10; i++)
            in_teams += i;
    }
    expect(one.low, 4, "teams, own operator");
    expect(one.seen[0] % 2, 0, "teams, own operator");
    expect(in_teams % 46, 0, "a team's part in a parallel region");
    expect(in_teams > 0, 1, "teams");
#pragma omp target map(tofrom : in_tasks, in_loop, in_scope, in_simd, nested)
    {
        struct range local = {0, 0, {0}};
#pragma omp taskgroup task_reduction(+ : in_tasks)
        {
            for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : in_tasks)
                in_tasks += i;
            }
        }
#pragma omp parallel num_threads(33) reduction(widen : local)
        {
#pragma omp for reduction(+ : in_loop)
            for (int i = 0; i < 100; i++)
                in_loop += 1;
#pragma omp scope reduction(+ : in_scope)
            in_scope += 1;
            local.seen[1]++;
            local.high = 7;
#pragma omp sections reduction(+ : nested)
            {
#pragma omp section
                nested += 4;
#pragma omp section
                nested += 5;
            }
        }
        in_scope = local.seen[1] == in_scope && local.high == 7 && local.low == 0;
#pragma omp simd reduction(+ : in_simd)
        for (int i = 0; i < 8; i++)
            in_simd += i;
    }
    expect(in_tasks, 10, "tasks");
    expect(in_loop, 100, "for");
    expect(in_scope, 1, "scope, and an own operator of a parallel region");
    expect(in_simd, 28, "simd");
    expect(nested, 9, "sections");
}

int main(void)
{
    with_literals(40);
    declared(200);
    sections_of_arrays(500);
    places();
    return failures != 0;
}
