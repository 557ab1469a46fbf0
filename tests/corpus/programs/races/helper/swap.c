// Swaps of neighbours, odd-even as it should be, or all at once.
#include <stdio.h>
#define N 40

static void order(int *v, int i)
{
    if (v[i] > v[i + 1]) { // or-here
        int t = v[i];
        v[i] = v[i + 1]; // or-here
        v[i + 1] = t; // or-here
    }
}

int main(void)
{
    int v[N];
    for (int i = 0; i < N; i++)
        v[i] = N - i;
    for (int phase = 0; phase < N; phase++) {
#pragma omp parallel for
        for (int i = phase % 2; i < N - 1; i += 2) //@ good
        for (int i = 0; i < N - 1; i++) //@ bad
            order(v, i); // expect: race
    }
    return v[0] != 1;
}
