#include <stdio.h>
#include <stdbool.h>
#define N 64
int main(void)
{
    static int d[N], e[N];
    bool changed = true;
    int rounds = 0;
    while (changed) {
        changed = false;
        #pragma omp parallel for reduction(||: changed) //@ good
        #pragma omp parallel for //@ bad // or-here
        for (int i = 1; i < N; i++)
            if (d[i] > d[i - 1] + 1) { //@ bad
                d[i] = d[i - 1] + 1; //@ bad // expect: race
            if (e[i] > d[i - 1] + 1) { //@ good
                e[i] = d[i - 1] + 1; //@ good
                changed = true;
            }
        rounds++;
    }
    printf("%d %d\n", rounds, e[0]);
    return 0;
}
