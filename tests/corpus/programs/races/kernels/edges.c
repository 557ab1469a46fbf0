#include <stdio.h>
#include <stdlib.h>
typedef struct { int a, b; float w; } edge;
void scatter(const edge *e, int ne, const float *u, float *r)
{
    #pragma omp parallel for // or-here
    for (int i = 0; i < ne; i++) {
        float flux = e[i].w * (u[e[i].a] - u[e[i].b]);
        #pragma omp atomic //@ good bad
        r[e[i].a] -= flux; // expect: race [bad2]
        #pragma omp atomic //@ good bad2
        r[e[i].b] += flux; // expect: race [bad]
    }
}
int main(void)
{
    edge e[] = {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}};
    float u[3] = {1, 2, 3}, r[3] = {0};
    scatter(e, 3, u, r);
    printf("%g\n", r[0]);
    return 0;
}
