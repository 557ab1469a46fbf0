// Two critical regions with different names protect the same variable.
#include <stdio.h>
#define N 200

int main(void)
{
    int sum = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i % 2) {
#pragma omp critical(odd) //@ bad
#pragma omp critical(sum) //@ good
            sum += i; // or-here
        } else {
#pragma omp critical(even) //@ bad
#pragma omp critical(sum) //@ good
            sum -= i; // expect: race
        }
    }
    return sum != N / 2;
}
