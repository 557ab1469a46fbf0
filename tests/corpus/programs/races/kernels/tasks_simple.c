#include <stdio.h>
int main(void)
{
    int x = 0, y = 0, z = 0;
    #pragma omp parallel num_threads(4)
    #pragma omp single
    {
        #pragma omp task shared(x) depend(out: x) //@ good bad
        #pragma omp task shared(x) //@ bad2 // or-here
        x = 1; // or-here
        #pragma omp task shared(x, y) depend(in: x) depend(out: y) //@ good bad2
        #pragma omp task shared(x, y) depend(out: y) //@ bad // or-here
        y = x + 1; // expect: race
        #pragma omp task shared(z) depend(out: z)
        z = 5;
        #pragma omp taskwait
        printf("%d %d %d\n", x, y, z);
    }
    return 0;
}
