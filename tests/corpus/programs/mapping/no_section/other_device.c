// The data is on device 0; the kernel runs on device 1.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

int main(void)
{
    int n = 32, *v = calloc(n, sizeof(int));
    if (omp_get_num_devices() < 2) {
        free(v);
        return 0;
    }
#pragma omp target enter data map(to: v[0:n]) device(0)
#pragma omp target device(1) //@ bad // expect: mapping
#pragma omp target device(0) //@ good
    for (int i = 0; i < n; i++)
        v[i] = i; // or-here
#pragma omp target exit data map(from: v[0:n]) device(0)
    int wrong = v[31] != 31;
    free(v);
    printf("%d\n", wrong);
    return wrong;
}
