// The block is freed inside of the region that maps it.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 10, top = 0;
    int *v = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp target data map(tofrom: v[0:n]) // or-here
    {
#pragma omp target map(from: top)
        top = v[n - 1];
        free(v); //@ bad // expect: mapping
    }
    free(v); //@ good
    printf("%d\n", top);
    return top != 9;
}
