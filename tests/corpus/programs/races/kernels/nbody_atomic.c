#include <stdio.h>
#include <stdlib.h>
typedef struct { float x, fx; } part;
void pairs(part *p, int n)
{
    #pragma omp target teams distribute parallel for map(tofrom: p[0:n]) // or-here
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            float d = p[j].x - p[i].x;
            #pragma omp atomic
            p[i].fx += d; // or-here
            #pragma omp atomic //@ good
            p[j].fx -= d; // expect: race
        }
}
int main(void)
{
    int n = 100;
    part *p = calloc(n, sizeof *p);
    for (int i = 0; i < n; i++)
        p[i].x = i;
    pairs(p, n);
    printf("%g\n", p[0].fx);
    free(p);
    return 0;
}
