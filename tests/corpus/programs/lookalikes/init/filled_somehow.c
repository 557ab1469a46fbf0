// Host data that get their values in ways that are not a plain loop over all of them.
#include <stdio.h>
#include <stdlib.h>
#define N 24

static void two(int *p) { p[0] = p[1] = 1; }
static void (*filler)(int *) = two;
struct rec { int a[4]; int n; };

int main(void)
{
    int *a = malloc(N * sizeof(int)), *b = malloc(N * sizeof(int)), *c = malloc(N * sizeof(int)), sum = 0, x, y;
    struct rec r, s;
    for (int i = 0; i < N; i += 2)
        filler(a + i);
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        b[i] = 1;
    int *p = c, left = N;
    while (left-- > 0)
        *p++ = 1;
    if (sscanf("4 5", "%d %d", &x, &y) != 2)
        return 2;
    s.n = 4;
    for (int i = 0; i < s.n; i++)
        s.a[i] = 1;
    r = s;
#pragma omp target map(to: a[0:N], b[0:N], c[0:N], r) map(tofrom: sum) map(to: x, y)
    {
        for (int i = 0; i < N; i++)
            sum += a[i] + b[i] + c[i];
        for (int i = 0; i < r.n; i++)
            sum += r.a[i];
        sum += x + y;
    }
    free(a);
    free(b);
    free(c);
    return sum != 3 * N + 4 + 9;
}
