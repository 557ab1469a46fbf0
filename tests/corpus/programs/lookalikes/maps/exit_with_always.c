// The data leaves with always, while another user keeps it.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 8, *v = calloc(n, sizeof(int));
#pragma omp target enter data map(to: v[0:n])
#pragma omp target enter data map(to: v[0:n])
#pragma omp target
    v[1] = 11;
#pragma omp target exit data map(always, from: v[0:n])
    int got = v[1];
#pragma omp target exit data map(delete: v[0:n])
    free(v);
    return got != 11;
}
