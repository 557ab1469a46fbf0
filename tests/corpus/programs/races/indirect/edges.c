// A mesh: both ends of an edge are updated.
#include <stdio.h>
#define EDGES 50

struct edge { int from, to; };

int main(void)
{
    struct edge e[EDGES];
    double flux[EDGES + 1] = { 0 }, sum = 0.0;
    for (int i = 0; i < EDGES; i++) {
        e[i].from = i;
        e[i].to = i + 1;
    }
#pragma omp target teams distribute parallel for map(to: e) map(tofrom: flux)
    for (int i = 0; i < EDGES; i++) {
#pragma omp atomic //@ good
        flux[e[i].from] += 1.0; // expect: hint
#pragma omp atomic //@ good
        flux[e[i].to] -= 1.0; // or-here
    }
    for (int i = 0; i <= EDGES; i++)
        sum += flux[i];
    return sum != 0.0;
}
