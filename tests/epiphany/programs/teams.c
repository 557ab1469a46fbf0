/* Parallel regions one after the other, worksharing of each kind, a league, and what a team does together. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 500 };

int main(void)
{
    int a[N], sum = 0, met = 0, once = 0, threads = 0, teams = 0, from_one = 0, parts[3] = {0};
    unsigned steps = 0;
    int64_t large = 0;
    double d = 0.25;
    for (int i = 0; i < N; i++) a[i] = i;

#pragma omp target map(tofrom: a)
    for (int i = 0; i < N; i++) a[i] += 1;
#pragma omp target teams distribute parallel for reduction(+: sum)
    for (int i = 0; i < N; i++) sum += a[i];
#pragma omp target teams num_teams(5) map(tofrom: teams)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    teams |= omp_get_num_teams() > 0 && omp_get_team_num() < omp_get_num_teams();
#pragma omp target parallel for schedule(dynamic, 3)
    for (int i = 0; i < N; i++) a[i] *= 2;
#pragma omp target parallel for schedule(dynamic, 2) reduction(+: steps)
    for (unsigned i = 10; i < N; i += 7) steps += i;
#pragma omp target parallel for schedule(runtime) reduction(+: steps)
    for (int i = 90; i > 3; i -= 4) steps += (unsigned)i;
#pragma omp target parallel for schedule(guided) reduction(+: large)
    for (int64_t i = 5; i < 900; i += 4) large += i * INT64_C(10000000000) / 7;
#pragma omp target map(tofrom: met, once, threads, from_one, d)
    {
#pragma omp parallel
        {
#pragma omp critical
            met += omp_get_num_threads() > 0;
#pragma omp for nowait schedule(dynamic)
            for (int i = 0; i < 40; i++)
#pragma omp atomic
                threads += i;
#pragma omp for nowait schedule(dynamic)
            for (int i = 0; i < 40; i++)
#pragma omp atomic
                threads += i;
#pragma omp barrier
#pragma omp single
            once++;
            int mine = 0;
#pragma omp single copyprivate(mine)
            mine = 7;
#pragma omp atomic
            from_one += mine == 7;
        }
        from_one = from_one == met;
        met = met > 1 && met <= 64;
#pragma omp parallel num_threads(3) reduction(+: d)
        d += omp_get_thread_num() * 0.5;
    }
    int of_teams[40] = {0};
#pragma omp target teams num_teams(40) map(tofrom: of_teams)
#pragma omp parallel num_threads(8)
#pragma omp atomic
    of_teams[omp_get_team_num()] += omp_get_num_threads();
    for (int i = 0; i < 40; i++) printf("%d ", of_teams[i]);
#pragma omp target map(tofrom: parts)
#pragma omp parallel sections num_threads(4)
    {
#pragma omp section
        parts[0] = 1;
#pragma omp section
        parts[1] = 2;
#pragma omp section
        parts[2] = 3;
    }

    for (int i = 0; i < N; i++) sum += a[i];
    printf("%d %d %d %d %d %d %u %lld %g %d\n", sum, met, once, threads, teams, from_one, steps, (long long)large, d,
           parts[0] + 10 * parts[1] + 100 * parts[2]);
    return 0;
}
