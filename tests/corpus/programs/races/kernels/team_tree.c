#include <omp.h>
#include <stdio.h>
#define T 64
static float in[4096];
int main(void)
{
    float total = 0;
    for (int i = 0; i < 4096; i++)
        in[i] = 1;
    #pragma omp target teams num_teams(8) thread_limit(T) map(to: in) map(tofrom: total)
    {
        float part[T];
        #pragma omp parallel num_threads(T)
        {
            int t = omp_get_thread_num(), n = omp_get_num_threads();
            int base = omp_get_team_num() * (4096 / omp_get_num_teams());
            float s = 0;
            for (int i = t; i < 4096 / omp_get_num_teams(); i += n)
                s += in[base + i];
            part[t] = s; // or-here
            #pragma omp barrier //@ good
            for (int w = n / 2; w > 0; w /= 2) { //@ good
                if (t < w) //@ good
                    part[t] += part[t + w]; //@ good
                #pragma omp barrier //@ good
            } //@ good
            if (t == 0) {
                for (int k = 1; k < n; k++) //@ bad
                    part[0] += part[k]; //@ bad // expect: race [bad]
                #pragma omp atomic
                total += part[0]; // or-here
            }
        }
    }
    printf("%g\n", total);
    return 0;
}
