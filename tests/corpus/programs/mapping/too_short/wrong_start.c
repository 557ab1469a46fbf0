// A section starts at 1, the loop at 0.
#include <stdio.h>
#define N 64

int main(void)
{
    int v[N];
    for (int i = 0; i < N; i++)
        v[i] = i;
#pragma omp target map(tofrom: v[1:N-1]) //@ bad // expect: mapping
#pragma omp target map(tofrom: v[0:N]) //@ good
#pragma omp target map(tofrom: v[1:N-1]) //@ good2
    for (int i = 0; i < N; i++) //@ bad good // or-here
    for (int i = 1; i < N; i++) //@ good2
        v[i] += 1; // or-here
    int wrong = v[N - 1] != N;
    printf("%d\n", wrong);
    return wrong;
}
