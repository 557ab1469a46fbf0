// Start and length are each all right; together they are not.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 40, half = n / 2, sum = 0;
    int *v = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        v[i] = 1;
#pragma omp target map(to: v[half:n]) map(tofrom: sum) //@ bad // expect: mapping
#pragma omp target map(to: v[half:n-half]) map(tofrom: sum) //@ good
    for (int i = half; i < n; i++)
        sum += v[i];
    free(v);
    printf("%d\n", sum);
    return sum != 20;
}
