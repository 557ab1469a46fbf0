// Three levels rotate as often as the caller says; a swap of two follows.
#include <stdio.h>
#include <stdlib.h>

static double last(int n, int steps)
{
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b), *c = calloc(n, sizeof *c);
    a[0] = b[0] = c[0] = 1;
#pragma omp target enter data map(to: a[0:n], b[0:n], c[0:n])
    for (int t = 0; t < steps; t++) {
#pragma omp target teams distribute parallel for
        for (int i = 1; i < n; i++)
            c[i] = b[i] + a[i - 1];
        if (t % 4 == 3) {
#pragma omp target update from(c[0:n])
            printf("%g\n", c[1]);
        }
        double *first = a;
        a = b;
        b = c;
        c = first;
    }
#pragma omp target update from(b[0:n]) //@ good bad2 good2
#pragma omp target update from(a[0:n]) //@ bad // or-here [bad]
    double s = b[1]; // expect: mapping [bad]
    for (int t = 0; t < steps; t++) { //@ good2 bad2
#pragma omp target teams distribute parallel for //@ good2 bad2
        for (int i = 0; i < n; i++) //@ good2 bad2
            a[i] = b[i] + 1; //@ good2 bad2
        double *swap = a; //@ good2 bad2
        a = b; //@ good2 bad2
        b = swap; //@ good2 bad2
    } //@ good2 bad2
#pragma omp target update from(b[0:n]) //@ good2
    s += b[1]; //@ good2 bad2 // expect: mapping [bad2]
#pragma omp target exit data map(delete: a[0:n], b[0:n], c[0:n])
    free(a);
    free(b);
    free(c);
    return s;
}

int main(int argc, char **argv)
{
    (void)argv;
    double s = last(50, argc + 5);
    return s != 6 && s != 18; //@ good good2
    return s != 6; //@ bad
    return s != 18; //@ bad2
}
