// The device is used for large problems only; both sides must agree.
#include <stdlib.h>

static void work(double *a, int n, int offload)
{
#pragma omp target teams distribute parallel for if(target: offload) map(tofrom: a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
}

int main(void)
{
    int n = 256, bad = 0, offload = n > 100;
    double *a = calloc(n, sizeof *a);
#pragma omp target enter data map(to: a[0:n]) if(offload)
    work(a, n, offload);
    work(a, n, offload);
#pragma omp target update from(a[0:n]) if(offload) //@ good bad2
    for (int i = 0; i < n; i++)
        bad |= a[i] != 2; // expect: mapping [bad]
#pragma omp target exit data map(delete: a[0:n]) if(offload) //@ good bad
    free(a); // expect: mapping [bad2]
    return bad;
}
