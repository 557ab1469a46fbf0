// The host memory is freed before the data leaves the device.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 1000, s = 0;
    int *data = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        data[i] = 1;
#pragma omp target enter data map(to: data[0:n]) // or-here
#pragma omp target teams distribute parallel for reduction(+: s)
    for (int i = 0; i < n; i++)
        s += data[i];
    free(data); //@ bad // expect: mapping
#pragma omp target exit data map(release: data[0:n]) // or-here
    free(data); //@ good
    printf("%d\n", s);
    return s != n;
}
