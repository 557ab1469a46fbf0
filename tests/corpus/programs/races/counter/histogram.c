// Bins that several iterations may meet.
#include <stdio.h>
#define N 512
#define BINS 8

int main(void)
{
    int data[N], bins[BINS] = { 0 }, wrong = 0;
    for (int i = 0; i < N; i++)
        data[i] = i;
#pragma omp target teams distribute parallel for map(to: data) map(tofrom: bins) //@ bad good
#pragma omp target teams distribute parallel for map(to: data) reduction(+: bins) //@ good2
    for (int i = 0; i < N; i++)
#pragma omp atomic //@ good
        bins[data[i] % BINS]++; //@ bad // expect: hint
        bins[data[i] % BINS]++; //@ good good2
    for (int b = 0; b < BINS; b++)
        wrong |= bins[b] != N / BINS;
    return wrong;
}
