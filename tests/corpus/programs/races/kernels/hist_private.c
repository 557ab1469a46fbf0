#include <stdio.h>
#include <string.h>
#define N 4096
#define BINS 16
int main(void)
{
    static int key[N];
    int hist[BINS] = {0};
    for (int i = 0; i < N; i++)
        key[i] = (i * 31) & (BINS - 1);
    #pragma omp parallel
    {
        int mine[BINS]; //@ good bad
        static int mine[BINS]; //@ bad2
        memset(mine, 0, sizeof mine); // expect: race [bad2]
        #pragma omp for
        for (int i = 0; i < N; i++)
            mine[key[i]]++; // or-here
        #pragma omp critical //@ good bad2
        for (int b = 0; b < BINS; b++) //@ good bad2
            hist[b] += mine[b]; //@ good bad2 // or-here
        for (int b = 0; b < BINS; b++) //@ bad
            hist[b] += mine[b]; //@ bad // expect: race [bad]
    }
    for (int b = 0; b < BINS; b++)
        printf("%d ", hist[b]);
    return 0;
}
