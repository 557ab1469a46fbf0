#include <stdio.h>
#define N 5000
static float v[N];
/* double-checked: the first look must be atomic, too */
int main(void)
{
    float best = -1;
    int where = -1;
    for (int i = 0; i < N; i++)
        v[i] = (float)((i * 7919) % 5003);
    #pragma omp parallel for shared(best, where) // or-here
    for (int i = 0; i < N; i++) {
        float seen;
        #pragma omp atomic read //@ good
        seen = best; // expect: race
        if (v[i] > seen) {
            #pragma omp critical
            if (v[i] > best) {
                #pragma omp atomic write //@ good
                best = v[i]; // or-here
                where = i;
            }
        }
    }
    printf("%g %d\n", best, where);
    return 0;
}
