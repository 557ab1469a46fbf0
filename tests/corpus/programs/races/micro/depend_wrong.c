#include <stdio.h>
int main(void)
{
    int x = 0, y = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out: x)
        x = 1;
        #pragma omp task depend(in: x) depend(out: y) //@ good
        #pragma omp task depend(out: y) //@ bad // or-here
        y = x + 1; // expect: race
        #pragma omp task depend(in: y)
        printf("%d\n", y);
    }
    return 0;
}
