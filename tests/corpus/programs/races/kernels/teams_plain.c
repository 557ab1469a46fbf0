// needs: clang (an atomic construct directly in teams)
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int seen = 0, per[8] = {0};
    #pragma omp target teams num_teams(8) thread_limit(32) map(tofrom: seen, per)
    {
        #pragma omp atomic //@ good bad2
        seen += 1; // expect: race [bad]
        per[omp_get_team_num()] = 1; //@ good bad
        per[0] = omp_get_team_num(); //@ bad2 // expect: race [bad2]
    }
    printf("%d %d\n", seen, per[3]);
    return 0;
}
