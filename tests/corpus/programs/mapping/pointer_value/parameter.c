// An array parameter is a pointer.
#include <stdio.h>

static void negate(int v[64])
{
#pragma omp target map(tofrom: v) //@ bad // expect: mapping
#pragma omp target map(tofrom: v[0:64]) //@ good
    for (int i = 0; i < 64; i++)
        v[i] = -v[i]; // or-here
}

int main(void)
{
    int v[64], wrong = 0;
    for (int i = 0; i < 64; i++)
        v[i] = i;
    negate(v);
    for (int i = 0; i < 64; i++)
        wrong += v[i] != -i;
    printf("%d\n", wrong);
    return wrong != 0;
}
