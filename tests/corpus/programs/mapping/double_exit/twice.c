// `exit data` twice for one `enter data`.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 64;
    double *v = calloc(n, sizeof(double));
#pragma omp target enter data map(to: v[0:n])
#pragma omp target enter data map(to: v[0:n]) //@ good2
#pragma omp target
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp target exit data map(from: v[0:n])
    int wrong = v[5] != 5.0; //@ bad good
#pragma omp target exit data map(from: v[0:n]) //@ bad good2 // expect: mapping
    int wrong = v[5] != 5.0; //@ good2
    free(v);
    printf("%d\n", wrong);
    return wrong;
}
