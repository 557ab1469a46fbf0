// A static local variable of a device function is one for all.
#include <stdio.h>
#define N 64

static int collatz(int n)
{
    static int steps; //@ bad
    int steps; //@ good
    steps = 0; // expect: race
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++; // or-here
    }
    return steps; // or-here
}

int main(void)
{
    int s[N];
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        s[i] = collatz(i + 1); // or-here
    return s[6] != 16;
}
