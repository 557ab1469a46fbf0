/* Arrays whose length is a variable, as locals of regions and of the functions they call; alloca. */
#include <alloca.h>
#include <math.h>
#include <stdlib.h>

#include "tried.h"

/* What the functions below give on a device is what they give on the host. */
#pragma omp declare target
static void variable_length(double *r, long n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i * i;
    r[0] = a[2];
    r[1] = sizeof a;
    for (int k = 1; k < 4; k++) {
        double b[k][n];
        b[k - 1][n - 1] = k;
        if (k == 2)
            continue;
        r[2] += b[k - 1][2] + sizeof b + sizeof b[0];
    }
}
static int leaves_early(int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    if (n > 5)
        return a[5];
    {
        int b[n + 1];
        b[n] = 7;
        if (n == 4)
            goto out;
        return b[n];
    }
out:
    return a[1];
}
static void variable_length_in_function(double *r, long n)
{
    r[0] = leaves_early(3);
    r[1] = leaves_early(4);
    r[2] = leaves_early(10);
}
static double tr(int n, double a[n][n])
{
    double t = 0;
    for (int i = 0; i < n; i++)
        t += a[i][i];
    return t;
}
static void variable_length_types(double *r, long n)
{
    double a[n][n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = i * n + j;
    r[0] = tr(n, a);
    double (*p)[n] = a;
    r[1] = p[1][2];
    r[2] = sizeof *p;
    typedef int row[n];
    row q;
    q[2] = 5;
    r[3] = q[2] + sizeof(row);
    p++;
    r[4] = (*p)[0];
    double (*h)[n] = malloc(n * sizeof *h);
    h[2][1] = 8;
    r[5] = h[2][1];
    free(h);
    int i = 4;
    int z[i++];
    r[6] = i;
    r[7] = sizeof(z);
    int (*pv)[n] = &q;
    r[8] = (*pv)[2];
    r[9] = *(a[2] + 1);
    double *fl = &a[1][0];
    r[10] = fl[1];
}
static void constant_length(double *r, long n)
{
    const int k = 3;
    int a[k];
    a[2] = 4;
    r[0] = a[2];
    enum { N = 4 };
    int b[N];
    b[3] = 1;
    r[1] = b[3] + sizeof b;
    static const int S = 5;
    int c[2 * N + 1];
    c[8] = S;
    r[2] = c[8];
    const double d[] = {1, 2};
    r[3] = d[1];
}
static void stack_space(double *r, long n)
{
    int *p = alloca(n * sizeof(int));
    for (int i = 0; i < n; i++)
        p[i] = i;
    r[0] = p[1] + p[2];
    char *q = __builtin_alloca(10);
    q[0] = 1;
    r[1] = q[0];
}
#pragma omp end declare target
int main(void)
{
    long n = 3;
    TRY(variable_length, n);
    TRY(variable_length_in_function, n);
    TRY(variable_length_types, n);
    TRY(constant_length, n);
    TRY(stack_space, n);
    return failures != 0;
}
