// The memory is freed while the asynchronous region uses it.
#include <stdio.h>
#include <stdlib.h>

static void run(double *res)
{
    int n = 50;
    double *tmp = malloc(n * sizeof(double)), r = 0.0;
    for (int i = 0; i < n; i++)
        tmp[i] = 0.5;
#pragma omp target nowait map(to: tmp[0:n]) map(tofrom: r) // or-here
    for (int i = 0; i < n; i++)
        r += tmp[i]; // or-here
#pragma omp taskwait //@ good
    free(tmp); // expect: race
#pragma omp taskwait //@ bad
    *res = r;
}

int main(void)
{
    double r = 0.0;
    run(&r);
    return r != 25.0;
}
