// A taskgroup waits for the asynchronous regions in it.
#include <stdio.h>
#include <stdlib.h>
#define PARTS 4
#define LEN 25

int main(void)
{
    int *v = calloc(PARTS * LEN, sizeof(int)), sum = 0;
#pragma omp taskgroup
    {
        for (int p = 0; p < PARTS; p++) {
            int *c = v + p * LEN;
#pragma omp target nowait map(tofrom: c[0:LEN]) firstprivate(p)
            for (int i = 0; i < LEN; i++)
                c[i] = p;
        }
    }
    for (int i = 0; i < PARTS * LEN; i++)
        sum += v[i];
    free(v);
    return sum != 150;
}
