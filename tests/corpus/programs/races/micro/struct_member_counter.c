#include <stdio.h>
#define N 100
struct stats { long hits, misses; double sum; };
static void note(struct stats *s, double v)
{
    if (v > 0.5) {
        #pragma omp atomic
        s->hits++;
    }
    #pragma omp atomic //@ good
    s->sum += v; // expect: race
}
int main(void)
{
    struct stats st = {0};
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++)
        note(&st, i / 100.0); // or-here
    printf("%ld %g\n", st.hits, st.sum);
    return 0;
}
