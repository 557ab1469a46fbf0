// A flattened index with the wrong stride.
#include <stdio.h>
#include <stdlib.h>
#define NX 30
#define NY 10

int main(void)
{
    int *f = calloc(NX * NY + NX, sizeof(int)), wrong = 0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: f[0:NX*NY+NX])
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            f[i * NY + j] += i; //@ good
            f[i + j] += i; //@ bad // expect: race
            f[j * NX + i] += i; //@ good2
    for (int i = 0; i < NX; i++)
        wrong |= f[i * NY] < 0;
    free(f);
    return wrong;
}
