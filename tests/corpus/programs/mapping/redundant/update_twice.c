// The same data is fetched twice.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 20, *v = calloc(n, sizeof(int)), sum = 0;
#pragma omp target enter data map(to: v[0:n])
    for (int step = 0; step < 3; step++) {
#pragma omp target
        for (int i = 0; i < n; i++)
            v[i] += 1;
#pragma omp target update from(v[0:n]) // or-here
        sum += v[0];
#pragma omp target update from(v[0:n]) //@ bad // expect: hint
        sum += v[1];
    }
#pragma omp target exit data map(release: v[0:n])
    free(v);
    return sum != 12;
}
