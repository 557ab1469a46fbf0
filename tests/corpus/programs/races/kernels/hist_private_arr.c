#include <stdio.h>
#define N 4096
#define BINS 16
int key[N];
void count(int n, int *hist)
{
    #pragma omp parallel for reduction(+: hist[:BINS]) //@ good
    #pragma omp parallel for shared(hist) //@ bad // or-here
    for (int i = 0; i < n; i++)
        hist[key[i]] += 1; // expect: race
}
int main(void)
{
    int hist[BINS] = {0};
    for (int i = 0; i < N; i++)
        key[i] = (i * 31) & (BINS - 1);
    count(N, hist);
    for (int b = 0; b < BINS; b++)
        printf("%d ", hist[b]);
    return 0;
}
