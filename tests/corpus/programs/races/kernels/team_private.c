#include <omp.h>
#include <stdio.h>
#define G 8
#define T 32
static int out[G * T];
int main(void)
{
    #pragma omp target teams num_teams(G) thread_limit(T) map(from: out)
    {
        int base = omp_get_team_num() * T;
        int last = 0;
        #pragma omp parallel for //@ good bad2
        #pragma omp parallel for lastprivate(last) //@ good2
        #pragma omp parallel for shared(last) //@ bad // or-here
        for (int i = 0; i < T; i++) {
            last = i; //@ good2 bad // expect: race [bad]
            out[base + i] = i; //@ good good2 bad
            out[i] = base + i; //@ bad2 // expect: race [bad2]
        }
        (void)last;
    }
    printf("%d\n", out[7]);
    return 0;
}
