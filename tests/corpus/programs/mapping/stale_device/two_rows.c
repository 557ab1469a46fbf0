// update of the wrong row
#include <stdio.h>
#define R 20
#define C 30
static double g[R][C];
static void set_boundary(void) { for (int j = 0; j < C; j++) { g[0][j] = 1; g[R-1][j] = 2; } } // or-here
int main(void)
{
    double s = 0;
    #pragma omp target enter data map(to: g)
    set_boundary();
    #pragma omp target update to(g[0:1][0:C])
    #pragma omp target update to(g[R-2:1][0:C]) //@ bad // or-here
    #pragma omp target update to(g[R-1:1][0:C]) //@ good
    #pragma omp target teams distribute parallel for reduction(+: s) map(tofrom: s)
    for (int j = 0; j < C; j++) s += g[0][j] + g[R-1][j]; // expect: mapping
    #pragma omp target exit data map(delete: g)
    printf("%g\n", s);
    return 0;
}
