#include <stdio.h>
#define N 200
typedef struct { float pos[3], vel[3]; } particle;
static particle ps[N];
static float box = 10, energy;
static void bounce(particle *p) { for (int d = 0; d < 3; d++) if (p->pos[d] > box) p->vel[d] = -p->vel[d]; }
static void drift(particle *p, float dt, float *e)
{
    for (int d = 0; d < 3; d++) {
        p->pos[d] += dt * p->vel[d]; // or-here
        *e += p->vel[d] * p->vel[d]; // or-here
    }
}
int main(void)
{
    for (int i = 0; i < N; i++)
        ps[i].vel[i % 3] = i;
    float e = 0; //@ bad
    #pragma omp parallel for reduction(+: energy) // or-here
    for (int i = 0; i < N; i++) {
        float e = 0; //@ good bad2
        drift(&ps[i], 0.1f, &e); //@ good bad // expect: race [bad]
        drift(&ps[i / 2], 0.1f, &e); //@ bad2 // expect: race [bad2]
        bounce(&ps[i]); // or-here
        energy += e; //@ good bad2
    }
    printf("%g %g\n", energy, ps[3].pos[0]);
    return 0;
}
