// C elements are allocated, C*C are mapped.
#include <stdio.h>
#include <stdlib.h>
#define C 50

int *a, *b, *c;

int init(void)
{
    for (int i = 0; i < C; i++) {
        for (int j = 0; j < C; j++)
            b[j + i * C] = 1;
        a[i] = 1;
        c[i] = 0;
    }
    return 0;
}

int mult(void)
{
#pragma omp target map(to: a[0:C], b[0:C*C]) map(tofrom: c[0:C*C]) device(0) //@ bad // expect: mapping
#pragma omp target map(to: a[0:C], b[0:C*C]) map(tofrom: c[0:C]) device(0) //@ good
    {
#pragma omp teams distribute parallel for
        for (int i = 0; i < C; i++)
            for (int j = 0; j < C; j++)
                c[i] += b[j + i * C] * a[j];
    }
    return 0;
}

int main(void)
{
    a = malloc(C * sizeof(int));
    b = malloc(C * C * sizeof(int));
    c = malloc(C * sizeof(int));
    init();
    mult();
    int wrong = 0;
    for (int i = 0; i < C; i++)
        wrong |= c[i] != C;
    free(a);
    free(b);
    free(c);
    return wrong;
}
