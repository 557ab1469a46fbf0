#include <stdio.h>
#define G 32
#define L 64
int main(void)
{
    static float in[G * L], out[G * L];
    float tile[L]; //@ bad
    #pragma omp target teams distribute map(to: in) map(from: out) num_teams(G) map(alloc: tile) //@ bad
    #pragma omp target teams distribute map(to: in) map(from: out) num_teams(G) //@ good
    for (int g = 0; g < G; g++) {
        float tile[L]; //@ good
        #pragma omp parallel for
        for (int l = 0; l < L; l++) tile[l] = in[g * L + l]; // expect: race
        #pragma omp parallel for
        for (int l = 0; l < L; l++) out[g * L + l] = tile[L - 1 - l]; // or-here
    }
    printf("%g\n", out[4]);
    return 0;
}
