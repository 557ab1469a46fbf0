// The value of the last iteration is wanted, every iteration writes it.
#include <stdio.h>
#define N 1000

int main(void)
{
    int last = -1;
#pragma omp parallel for //@ bad
#pragma omp parallel for lastprivate(last) //@ good
    for (int i = 0; i < N; i++)
        last = 2 * i; // expect: race
    printf("%d\n", last);
    return last != 2 * (N - 1);
}
