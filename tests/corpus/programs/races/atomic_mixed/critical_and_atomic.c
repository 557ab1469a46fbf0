// critical and atomic do not exclude each other.
#include <stdio.h>

int main(void)
{
    long total = 0;
#pragma omp parallel for
    for (int i = 1; i <= 60; i++) {
        if (i % 2) {
#pragma omp critical //@ bad
#pragma omp atomic //@ good
            total += i; // expect: race
        } else {
#pragma omp atomic
            total += i; // or-here
        }
    }
    return total != 1830;
}
