#include <stdio.h>
#define N 100
struct cell { double v; int n; };
int main(void)
{
    static struct cell c[N];
    double run = 0;
    for (int i = 0; i < N; i++) c[i].v = i;
    #pragma omp parallel for reduction(inscan, +: run) //@ good
    #pragma omp parallel for //@ bad // or-here
    for (int i = 0; i < N; i++) {
        run += c[i].v; // expect: race
        #pragma omp scan inclusive(run) //@ good
        c[i].v = run; // or-here
    }
    printf("%g\n", c[9].v);
    return 0;
}
