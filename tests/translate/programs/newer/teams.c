/* groupprivate: a variable of each team; routines in a teams region. */
#include <omp.h>
#include <stdio.h>

static int each;
#pragma omp groupprivate(each)

int main(void)
{
    int seen[4] = {0}, inner[4] = {0}, initial = 0, threads = 0, failures = 0;
    each = 17;
#pragma omp target teams num_teams(4) map(tofrom : seen, inner, initial, threads)
    {
        int team = omp_get_team_num();
        if (team == 0) {
            initial = omp_is_initial_device();
            threads = omp_get_num_threads();
        }
        each = team * 10;
#pragma omp parallel num_threads(3)
        {
#pragma omp atomic
            each++;
        }
        seen[team] = each;
    }
#pragma omp target map(tofrom : inner)
    {
        each = 5;
        inner[0] = ++each;
    }
    int teams = 0;
    for (int i = 0; i < 4; i++)
        teams += seen[i] != 0;
    for (int i = 0; i < teams; i++) {
        int more = seen[i] - 10 * i;
        if (more < 1 || more > 3) {
            printf("team %d: %d\n", i, seen[i]);
            failures++;
        }
    }
    if (initial != 0 || threads != 1 || inner[0] != 6 || each != 17) {
        printf("%d %d %d %d\n", initial, threads, inner[0], each);
        failures++;
    }
    return failures != 0;
}
