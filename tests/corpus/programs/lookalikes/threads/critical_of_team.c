// A critical section that reaches no further than its team is enough for what each team has of its own.
#include <omp.h>
#define TEAMS 4

int main(void)
{
    int count[TEAMS] = {0}, all = 0;
#pragma omp target map(tofrom: count)
#pragma omp teams num_teams(TEAMS) thread_limit(8)
#pragma omp distribute parallel for
    for (int i = 0; i < 64; i++) {
#pragma omp critical
        {
            int old = count[omp_get_team_num()];
            count[omp_get_team_num()] = old + 1;
        }
    }
    for (int t = 0; t < TEAMS; t++)
        all += count[t];
    return all != 64;
}
