// Two sections write the same variable.
#include <stdio.h>

int main(void)
{
    int lo = 100, hi = -100, v[20];
    for (int i = 0; i < 20; i++)
        v[i] = (i * 7) % 20;
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < 20; i++)
            lo = v[i] < lo ? v[i] : lo; // or-here
#pragma omp section
        for (int i = 0; i < 20; i++)
            lo = v[i] > lo ? v[i] : lo; //@ bad // expect: race
            hi = v[i] > hi ? v[i] : hi; //@ good
    }
    return lo != 0 && hi != 19 && lo != 19;
}
