#include <stdio.h>
#include <stdlib.h>
#define NB 8
#define B 32
static float m[NB * B];
static void scale(float *p, float f) { for (int i = 0; i < B; i++) p[i] *= f; }
static void add(float *d, const float *s) { for (int i = 0; i < B; i++) d[i] += s[i]; }
int main(void)
{
    for (int i = 0; i < NB * B; i++)
        m[i] = i;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: m[0:B]) //@ good bad2
        #pragma omp task //@ bad // or-here
        scale(&m[0], 2); // or-here
        #pragma omp task depend(in: m[0:B]) depend(out: m[B:B]) //@ good bad
        #pragma omp task depend(out: m[B:B]) //@ bad2 // or-here
        add(&m[B], &m[0]); // expect: race
        #pragma omp taskwait
        printf("%g\n", m[B]);
    }
    return 0;
}
