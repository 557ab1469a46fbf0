// `exit data nowait` brings the result some time later.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 80, *v = calloc(n, sizeof(int));
#pragma omp target enter data map(to: v[0:n])
#pragma omp target
    for (int i = 0; i < n; i++)
        v[i] = i * i;
#pragma omp target exit data map(from: v[0:n]) nowait //@ bad good // or-here
#pragma omp target exit data map(from: v[0:n]) //@ good2
#pragma omp taskwait //@ good
    int last = v[n - 1]; // expect: race
#pragma omp taskwait //@ bad
    free(v);
    return last != 79 * 79;
}
