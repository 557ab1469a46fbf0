// on the error path the exit is left out
#include <stdlib.h>
int solve(int n, const double *b)
{
    int rc = -1;
    double *w = malloc(n * sizeof *w);
    if (!w) return -1;
    #pragma omp target enter data map(alloc: w[0:n])
    double s = 0;
    #pragma omp target teams distribute parallel for map(to: b[0:n]) map(tofrom: s) reduction(+: s)
    for (int i = 0; i < n; i++) { w[i] = b[i]; s += w[i]; }
    if (s < 0) goto out;
    rc = 0;
    #pragma omp target exit data map(release: w[0:n]) //@ bad
out:;
    #pragma omp target exit data map(release: w[0:n]) //@ good
    free(w); // expect: mapping
    return rc;
}
//@ run {
int main(void)
{
    double b[3] = { 1, 2, 3 };
    return solve(3, b);
}
//@ }
