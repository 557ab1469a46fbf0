// Particles as an array of structs; half of a step is done on the host.
#include <stdlib.h>
typedef struct { float x, v; int cell; } particle;

static void push(particle *p, int n, float dt)
{
#pragma omp target teams distribute parallel for firstprivate(dt)
    for (int i = 0; i < n; i++) {
        p[i].x += dt * p[i].v; // or-here [bad3 bad2]
        p[i].cell = (int)p[i].x; // or-here [bad2]
    }
}

static void reflect(particle *p, int n)
{
    for (int i = 0; i < n; i++)
        if (p[i].x > 10) { // expect: mapping [bad]
            p[i].x = 20 - p[i].x;
            p[i].v = -p[i].v;
        }
}

int main(void)
{
    int n = 50;
    particle *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = (particle){i * 0.2f, 1, 0};
#pragma omp target data map(tofrom: p[0:n]) //@ good bad bad2
#pragma omp target data map(tofrom: p) //@ bad3 // expect: mapping [bad3]
    for (int t = 0; t < 4; t++) {
        push(p, n, 1.0f); // expect: mapping [bad2 bad3]
#pragma omp target update from(p[0:n]) //@ good bad2 bad3 // or-here [bad3]
        reflect(p, n); // or-here [bad]
#pragma omp target update to(p[0:n]) //@ good bad bad3 // or-here [bad2 bad3 bad]
    }
    int bad = 0;
    for (int i = 0; i < n; i++) {
        float want = i * 0.2f + 4;
        want = want > 10 ? 20 - want : want;
        bad |= p[i].x - want > 1.01f || want - p[i].x > 1.01f || p[i].x > 10;
    }
    free(p);
    return bad;
}
