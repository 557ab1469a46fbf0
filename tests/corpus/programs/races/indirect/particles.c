// two cells of the source may go to the same particle
#include <stdio.h>
#define NP 1000
#define NC 100
int main(void)
{
    static int cell[NP]; static float mass[NP], grid[NC];
    for (int i = 0; i < NP; i++) { cell[i] = (i * 7) % NC; mass[i] = 1; }
    #pragma omp target teams distribute parallel for map(to: cell, mass) map(tofrom: grid)
    for (int p = 0; p < NP; p++) {
        const int c = cell[p];
        #pragma omp atomic //@ good
        grid[c] += mass[p]; // expect: race
    }
    printf("%g\n", grid[3]);
    return 0;
}
