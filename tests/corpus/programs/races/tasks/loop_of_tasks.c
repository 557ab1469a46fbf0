// Each task of the loop adds to a shared sum.
#include <stdio.h>
#define N 30

int main(void)
{
    int sum = 0, squares[N];
#pragma omp parallel
#pragma omp master
    for (int i = 0; i < N; i++) {
#pragma omp task shared(sum, squares) // or-here
        {
            squares[i] = i * i;
#pragma omp atomic //@ good
            sum += i; // expect: race
        }
    }
    printf("%d\n", squares[3]);
    return sum != N * (N - 1) / 2;
}
