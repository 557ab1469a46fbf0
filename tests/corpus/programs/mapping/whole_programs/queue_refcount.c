// Retain and release by reference counts: every user of a buffer enters and exits it.
#include <omp.h>
#include <stdlib.h>

static void retain(int *p, int n)
{
#pragma omp target enter data map(to: p[0:n])
}

static void release(int *p, int n)
{
#pragma omp target exit data map(from: p[0:n]) //@ good bad bad3 // or-here [bad3]
#pragma omp target exit data map(delete: p[0:n]) //@ bad2 // or-here [bad2]
}

static void bump(int *p, int n)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        p[i]++; // or-here [bad2]
}

int main(void)
{
    int n = 16, bad = 0;
    int *p = calloc(n, sizeof *p);
    retain(p, n);
    retain(p, n);
    bump(p, n);
    release(p, n);
    bump(p, n); // expect: mapping [bad2]
    release(p, n); //@ good bad2 bad3 // or-here [bad2]
    for (int i = 0; i < n; i++)
        bad |= p[i] != 2; // expect: mapping [bad]
    release(p, n); //@ bad3 // expect: mapping [bad3]
    free(p); // or-here [bad]
    return bad;
}
