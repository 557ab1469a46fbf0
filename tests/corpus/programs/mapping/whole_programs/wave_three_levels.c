// Three time levels of a wave equation rotate through pointers; only the newest comes back.
#include <stdlib.h>
#define N 80

static void leap(const double *older, const double *now, double *next)
{
#pragma omp target teams distribute parallel for
    for (int i = 1; i < N - 1; i++)
        next[i] = 2 * now[i] - older[i] + 0.25 * (now[i + 1] - 2 * now[i] + now[i - 1]);
}

int main(void)
{
    double *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b), *c = calloc(N, sizeof *c);
    double *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y), *z = calloc(N, sizeof *z);
    a[40] = b[40] = x[40] = y[40] = 1;
#pragma omp target enter data map(to: a[0:N], b[0:N], c[0:N]) //@ good bad bad3
#pragma omp target enter data map(to: a[0:N], b[0:N]) map(alloc: c[0:N]) //@ bad2 // or-here [bad2]
    for (int t = 0; t < 9; t++) {
        leap(a, b, c); // expect: mapping [bad2]
        double *free_one = a;
        a = b;
        b = c;
        c = free_one;
        for (int i = 1; i < N - 1; i++)
            z[i] = 2 * y[i] - x[i] + 0.25 * (y[i + 1] - 2 * y[i] + y[i - 1]);
        free_one = x;
        x = y;
        y = z;
        z = free_one;
    }
#pragma omp target update from(b[0:N]) //@ good bad2 bad3
#pragma omp target update from(c[0:N]) //@ bad // or-here [bad]
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad |= b[i] != y[i]; // expect: mapping [bad]
#pragma omp target exit data map(delete: a[0:N], b[0:N], c[0:N]) //@ good bad bad2
    free(a); // expect: mapping [bad3]
    free(b); // or-here [bad3]
    free(c); // or-here [bad3]
    return bad;
}
