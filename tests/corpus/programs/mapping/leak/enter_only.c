// The data enters the device and never leaves: the result stays there, or only the memory does.
#include <stdio.h>
#include <stdlib.h>
#define N 100

int main(void)
{
    int *v = malloc(N * sizeof(int)), sum = 0;
    for (int i = 0; i < N; i++)
        v[i] = i;
#pragma omp target enter data map(to: v[0:N]) // expect: mapping
#pragma omp target teams distribute parallel for reduction(+: sum)
    for (int i = 0; i < N; i++)
        sum += v[i];
#pragma omp target exit data map(release: v[0:N]) //@ good
#pragma omp target exit data map(delete: v[0:N]) //@ good2
    free(v); // or-here
    printf("%d\n", sum);
    return sum != N * (N - 1) / 2;
}
