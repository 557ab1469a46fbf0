// Fields of one kind, one region for each.
#include <stdio.h>
#include <stdlib.h>
#define NV 4
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 60;
    float *field[NV], *dst = malloc(n * sizeof *dst);
    for (int v = 0; v < NV; v++) {
        field[v] = malloc(n * sizeof(float));
        for (int i = 0; i < n; i++) field[v][i] = v;
    }
    for (int i = 0; i < n; i++) dst[i] = 0;
#pragma omp target enter data map(to: dst[0:n]) //@ good bad bad2 bad4
#pragma omp target enter data map(alloc: dst[0:n]) //@ bad3 // expect: mapping [bad3]
    for (int v = 0; v < NV; v++) {
        float *f = field[v];
#pragma omp target teams distribute parallel for map(to: f[0:n]) //@ good bad3 bad4
#pragma omp target teams distribute parallel for map(alloc: f[0:n]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for map(to: f[0:n - 1]) //@ bad2 // expect: mapping [bad2]
        for (int i = 0; i < n; i++) dst[i] += f[i]; // expect: mapping [bad bad2 bad3]
    }
#pragma omp target exit data map(from: dst[0:n]) //@ good bad bad2 bad3
#pragma omp target exit data map(delete: dst[0:n]) //@ bad4 // expect: mapping [bad4]
    float s = 0;
    for (int i = 0; i < n; i++) s += dst[i]; // expect: mapping [bad4]
    printf("%g\n", s);
    for (int v = 0; v < NV; v++) free(field[v]);
    free(dst);
    return 0;
}
