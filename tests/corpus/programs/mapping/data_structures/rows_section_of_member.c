// A structure with rows; helper functions map them.
#include <stdio.h>
#include <stdlib.h>
typedef struct { int nr, nc; float **d; } mat;
static void alloc(mat *m, int r, int c)
{
    m->nr = r; m->nc = c;
    m->d = malloc(r * sizeof *m->d);
    for (int i = 0; i < r; i++) m->d[i] = calloc(c, sizeof **m->d);
}
static void map_in(mat *m)
{
    float **d = m->d;
    (void)d;
#pragma omp target enter data map(to: d[0:m->nr])
    for (int i = 0; i < m->nr; i++) {
#pragma omp target enter data map(to: d[i][0:m->nc]) //@ good bad3
#pragma omp target enter data map(to: d[i][0:1]) //@ bad2 // expect: mapping [bad2]
    }
}
static void map_out(mat *m)
{
    float **d = m->d;
    (void)d;
    for (int i = 0; i < m->nr; i++) {
#pragma omp target exit data map(from: d[i][0:m->nc]) //@ good
#pragma omp target exit data map(from: d[i][0:1]) //@ bad2 // expect: mapping [bad2]
#pragma omp target exit data map(release: d[i][0:m->nc]) //@ bad3 // expect: mapping [bad3]
    }
#pragma omp target exit data map(release: d[0:m->nr])
}
int main(void)
{
    mat m;
    alloc(&m, 6, 9);
    m.d[2][3] = 4;
    map_in(&m);
    float **d = m.d;
    int r = m.nr, c = m.nc;
#pragma omp target teams distribute parallel for collapse(2) // expect: mapping [bad bad2]
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++) d[i][j] += 1; // expect: mapping [bad bad2]
    map_out(&m);
    printf("%g\n", m.d[2][3]); // expect: mapping [bad3]
    for (int i = 0; i < r; i++) free(m.d[i]);
    free(m.d);
    return 0;
}
