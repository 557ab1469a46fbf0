// A copy that is only allocated gets half of its values by an update.
#include <stdlib.h>
static int run(int n)
{
    int *v = malloc(2 * n * sizeof *v);
    for (int i = 0; i < 2 * n; i++) v[i] = 1;
#pragma omp target enter data map(alloc: v[0:2*n]) // or-here
#pragma omp target update to(v[0:2*n]) //@ good
#pragma omp target update to(v[0:n]) //@ bad
#pragma omp target update to(v[n:n]) //@ bad2
    int s = 0;
#pragma omp target teams distribute parallel for reduction(+: s) // or-here
    for (int i = 0; i < 2 * n; i++)
        s += v[i]; // expect: mapping
#pragma omp target exit data map(delete: v[0:2*n])
    free(v);
    return s != 2 * n;
}
int main(void) { return run(300); }
