// An array of row pointers is mapped; the rows are not.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 4;
    double **m = malloc(n * sizeof *m), trace = 0.0;
    for (int i = 0; i < n; i++) {
        m[i] = calloc(n, sizeof **m);
        m[i][i] = 1.0;
    }
#pragma omp target enter data map(to: m[0:n]) // or-here
    for (int i = 0; i < n; i++) { //@ good
#pragma omp target enter data map(to: m[i][0:n]) //@ good
    } //@ good
#pragma omp target map(tofrom: trace) // expect: mapping
    for (int i = 0; i < n; i++)
        trace += m[i][i]; // or-here
    for (int i = 0; i < n; i++) { //@ good
#pragma omp target exit data map(release: m[i][0:n]) //@ good
    } //@ good
#pragma omp target exit data map(release: m[0:n])
    for (int i = 0; i < n; i++)
        free(m[i]);
    free(m);
    return trace != 4.0;
}
