// Only the first half comes back.
#include <stdio.h>
#include <stdlib.h>
#define C 400

int *a, *c;

void init(void)
{
    for (int i = 0; i < C; i++) {
        a[i] = i;
        c[i] = 0;
    }
}

void square(void)
{
#pragma omp target enter data map(to: a[0:C]) map(alloc: c[0:C])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < C; i++)
        c[i] = a[i] * a[i]; // or-here
#pragma omp target exit data map(from: c[0:C/2]) map(release: a[0:C]) //@ bad // expect: mapping
#pragma omp target exit data map(from: c[0:C]) map(release: a[0:C]) //@ good
#pragma omp target update from(c[0:C/2]) //@ good2
#pragma omp target update from(c[C/2:C-C/2]) //@ good2
#pragma omp target exit data map(release: c[0:C], a[0:C]) //@ good2
}

int main(void)
{
    a = malloc(C * sizeof(int));
    c = malloc(C * sizeof(int));
    init();
    square();
    for (int i = 0; i < C; i++)
        if (c[i] != i * i) { // or-here
            printf("c[%d] = %d\n", i, c[i]);
            return 1;
        }
    free(a);
    free(c);
    return 0;
}
