// No map clause at all, for heap memory: a pointer without a target on the device.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const int n = 50;
    int fixed[50];
    int *heap = malloc(n * sizeof *heap);
    for (int i = 0; i < n; i++)
        heap[i] = fixed[i] = i;
#pragma omp target teams distribute parallel for //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(tofrom: heap[0:n]) //@ good
#pragma omp target data map(tofrom: heap[0:n]) //@ good2
#pragma omp target teams distribute parallel for //@ good2
    for (int i = 0; i < n; i++)
        heap[i] += fixed[i]; // or-here
    int wrong = heap[7] != 14;
    free(heap);
    printf("%d\n", wrong);
    return wrong;
}
