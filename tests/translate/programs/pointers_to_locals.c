/* Variables of sequential code that parallel regions reach by pointers, and firstprivate ones that all teams share. */
#include "expect.h"

#pragma omp declare target
static void add(int *a, int n, int v)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] += v;
}

static int through_a_local(int n)
{
    int mine[5] = {n, n, n, n, n}, *first = &mine[0], sum = 0;
    add(mine + 1, 4, 1);
#pragma omp parallel num_threads(8) reduction(+ : sum)
    sum += first[1];
    return sum;
}

static int ticket(int *next)
{
    int mine;
#pragma omp atomic capture
    mine = (*next)++;
    return mine;
}
#pragma omp end declare target

int main(void)
{
    enum { N = 100 };
    int sum = 0, filled = 0, inside = 0;
#pragma omp target map(tofrom : sum, filled, inside)
    {
        const int one = 5;
        const int *p = &one;
        int all[10] = {0}, other[3] = {1, 2, 3}, *o = other, part = 0;
#pragma omp parallel num_threads(8) reduction(+ : part)
        part += *p + o[1];
        sum = part;
        add(all, 10, 3);
        for (int i = 0; i < 10; i++)
            filled += all[i];
        inside = through_a_local(4);
    }
    expect(sum, 8 * 7, "variables that only pointers lead to");
    expect(filled, 30, "an array that a function's parallel region writes");
    expect(inside, 8 * 5, "variables of a function");

    int next = 1, taken[N + 50] = {0};
#pragma omp target teams distribute parallel for num_teams(4) map(tofrom : taken)
    for (int i = 0; i < N; i++) {
        int mine;
#pragma omp atomic capture
        mine = next++;
        taken[mine] = 1;
    }
    int count = 0;
    for (int i = 1; i <= N; i++)
        count += taken[i];
    expect(count, N, "a counter that the teams share");
    expect(next, 1, "it is a copy");

    int turns = 0, got[N] = {0};
#pragma omp target teams num_teams(5) map(tofrom : got)
    for (int k = 0; k < 3; k++)
        got[ticket(&turns)]++;
    for (int i = 0; i < N; i++)
        expect(got[i] < 2, 1, "a counter that functions change is there once");

    unsigned most = 3000000000u, step = 1000000000u;
    int steps = 0;
#pragma omp target teams distribute parallel for map(tofrom : steps) reduction(+ : steps)
    for (unsigned i = 0; i < most - 1; i += step)
        steps++;
    expect(steps, 3, "few steps to a large bound");
    return failures != 0;
}
