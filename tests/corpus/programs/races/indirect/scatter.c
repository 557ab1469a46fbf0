// A scatter: two indices may be equal, unless they are all different, or the update is atomic.
#include <stdio.h>
#define N 100

int main(void)
{
    int idx[N], acc[N] = { 0 }, sum = 0;
    for (int i = 0; i < N; i++)
        idx[i] = i / 2; //@ bad good
        idx[i] = N - 1 - i; //@ good2
#pragma omp target teams distribute parallel for map(to: idx) map(tofrom: acc)
    for (int i = 0; i < N; i++)
#pragma omp atomic //@ good
        acc[idx[i]] += 1; // expect: hint
    for (int i = 0; i < N; i++)
        sum += acc[i];
    return sum != N;
}
