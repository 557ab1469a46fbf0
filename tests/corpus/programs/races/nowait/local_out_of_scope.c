// A local array belongs to a function that has returned when the region runs.
#include <stdio.h>
#define N 20

static void start(int *out)
{
    int local[N];
    for (int i = 0; i < N; i++)
        local[i] = i;
#pragma omp target nowait map(to: local) map(from: out[0:N]) // expect: race
    for (int i = 0; i < N; i++)
        out[i] = local[i]; // or-here
#pragma omp taskwait //@ good
} // or-here

int main(void)
{
    int out[N];
    start(out); // or-here
#pragma omp taskwait
    return out[N - 1] != N - 1;
}
