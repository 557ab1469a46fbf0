#include <stdio.h>
#include <stdlib.h>
void inclusive(const int *in, int *out, int n)
{
    out[0] = in[0];
    #pragma omp target teams distribute parallel for map(to: in[0:n]) map(tofrom: out[0:n]) //@ bad // or-here
    for (int i = 1; i < n; i++)
        out[i] = out[i - 1] + in[i]; // expect: race [bad]
}
void hillis(int *a, int *b, int n)
{
    #pragma omp target data map(tofrom: a[0:n]) map(to: b[0:n])
    for (int d = 1; d < n; d *= 2) {
        #pragma omp target teams distribute parallel for //@ good bad bad2 // or-here
        for (int i = 0; i < n; i++) {
            if (i >= d)
                b[i] = a[i] + a[i - d]; //@ good bad
            else //@ good bad
                b[i] = a[i]; //@ good bad
                a[i] = a[i] + a[i - d]; //@ bad2 // expect: race
        }
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            a[i] = b[i];
    }
}
int main(void)
{
    int n = 1000, *a = malloc(n * sizeof *a), *b = calloc(n, sizeof *b), *c = malloc(n * sizeof *c);
    for (int i = 0; i < n; i++)
        a[i] = i % 7;
    inclusive(a, c, n);
    hillis(a, b, n);
    printf("%d %d\n", a[n - 1], c[n - 1]);
    free(a), free(b), free(c);
    return 0;
}
