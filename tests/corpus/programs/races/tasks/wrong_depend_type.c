// The writer says `in`.
#include <stdio.h>

int main(void)
{
    double data = 0.0, copy = 0.0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task shared(data) depend(in: data) //@ bad // or-here
#pragma omp task shared(data) depend(out: data) //@ good
        data = 4.0; // expect: race
#pragma omp task shared(data, copy) depend(in: data) // or-here
        copy = data; // or-here
    }
    return copy != 4.0;
}
