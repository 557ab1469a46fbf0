// Two tasks write the same variable.
#include <stdio.h>

int main(void)
{
    int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(x) //@ bad // or-here
#pragma omp task shared(x) depend(inout: x) //@ good
        x += 1; // or-here
#pragma omp task shared(x, y) //@ bad // or-here
#pragma omp task shared(x, y) depend(inout: x) //@ good
        {
            y = 5;
            x += 2; // expect: race
        }
    }
    return x != 3 || y != 5;
}
