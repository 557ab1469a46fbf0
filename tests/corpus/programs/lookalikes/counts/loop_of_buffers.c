// An array of buffers enters in one loop and leaves in another.
#include <stdio.h>
#include <stdlib.h>
#define COUNT 5

int main(void)
{
    int *buf[COUNT], wrong = 0;
    for (int k = 0; k < COUNT; k++) {
        int n = 10 + k;
        int *b = buf[k] = malloc(n * sizeof(int));
        for (int i = 0; i < n; i++)
            b[i] = k;
#pragma omp target enter data map(to: b[0:n])
    }
    for (int k = 0; k < COUNT; k++) {
        int *b = buf[k];
#pragma omp target
        for (int i = 0; i < 10 + k; i++)
            b[i] *= 2;
    }
    for (int k = COUNT - 1; k >= 0; k--) {
        int *b = buf[k];
#pragma omp target exit data map(from: b[0:10+k])
        wrong |= b[9 + k] != 2 * k;
        free(b);
    }
    return wrong;
}
