/* Sequential code with parallel regions in it: shared scalars, arrays, structs, addresses; single, sections, nesting. */
#include <omp.h>
#include <string.h>

#include "expect.h"

struct pair {
    int a, b;
};
#pragma omp declare target
static void add_all(int *to, int n, int value)
{
    int total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; i++) {
        to[i] += value;
        total += 1;
    }
    to[0] += total - n;
}
#pragma omp end declare target
static long of_file = 100;
double step_of_file = 0.5;

int main(void)
{
    int out[8] = {0};
    int n = 50, data[50];
    for (int i = 0; i < n; i++)
        data[i] = i;
#pragma omp target map(tofrom : out, data)
    {
        int scalar = 1;
        int *where = &scalar;
        struct pair both = {3, 4};
        int field[5] = {1, 2, 3};
        n = n - 1;
#pragma omp parallel num_threads(33)
        {
#pragma omp single
            scalar = 42;
#pragma omp for
            for (int i = 0; i < 33; i++) {
#pragma omp atomic
                both.b += i;
            }
#pragma omp master
            field[4] = omp_get_num_threads();
#pragma omp barrier
#pragma omp critical
            both.a++;
#pragma omp sections
            {
#pragma omp section
                field[1] = 11;
#pragma omp section
                field[2] = 12;
            }
        }
        out[0] = *where;
        out[1] = both.a;
        out[2] = both.b;
        out[3] = field[4] >= 1 && field[4] <= 33;
        out[4] = field[1] + field[2] + field[0];
        add_all(data, n, 5);
        out[5] = n;
        int inside = 0;
#pragma omp parallel firstprivate(scalar) reduction(+ : inside) num_threads(7)
        {
            scalar++;
            inside += scalar;
            if (omp_get_thread_num() > 100)
                inside = -1;
        }
        out[6] = inside % 43;
    }
    expect(out[0], 42, "single through a pointer");
    expect(out[1], 3 + 33, "struct member under critical");
    expect(out[2], 4 + 528, "struct member under atomic");
    expect(out[3], 1, "threads");
    expect(out[4], 24, "sections");
    expect(out[5], 49, "firstprivate scalar written");
    expect(out[6], 0, "firstprivate and reduction");
    expect(n, 50, "the host's n");
    for (int i = 0; i < 50; i++)
        expect(data[i], i < 49 ? i + 5 : i, "orphaned parallel");

    long team_sums[4] = {0};
#pragma omp target teams distribute num_teams(2) map(tofrom : team_sums)
    for (int t = 0; t < 4; t++) {
        long part = 0;
#pragma omp parallel for reduction(+ : part)
        for (int i = 0; i < 100; i++)
            part += i * (t + 1);
        team_sums[t] = part;
    }
    for (int t = 0; t < 4; t++)
        expect(team_sums[t], 4950 * (t + 1), "distribute with a parallel for inside");

    int counted = 0, teams = 0;
    long each[64] = {0};
#pragma omp target teams num_teams(3) thread_limit(8) map(tofrom : each, teams)
    {
#pragma omp loop bind(teams)
        for (int i = 0; i < 64; i++)
            each[i] += i;
#pragma omp parallel if (0)
        if (omp_get_team_num() == 0)
            teams = omp_get_num_teams();
    }
    for (int i = 0; i < 64; i++)
        expect(each[i], i, "loop over the teams");
    expect(teams >= 1 && teams <= 3, 1, "num_teams");
#pragma omp target map(tofrom : counted)
#pragma omp parallel num_threads(8) reduction(task, + : counted)
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : counted)
        counted += i;
    }
    expect(counted, 45, "tasks");
    double area = 0;
#pragma omp target teams map(area) reduction(+ : area) num_teams(2)
#pragma omp distribute
    for (int first = 0; first < of_file; first += 10) {
#pragma omp parallel for reduction(+ : area)
        for (int i = first; i < (first + 10 < of_file ? first + 10 : of_file); i++)
            area += step_of_file * i;
    }
    expect((long)area, 2475, "variables of the file are shared in parallel regions");
    return failures != 0;
}
