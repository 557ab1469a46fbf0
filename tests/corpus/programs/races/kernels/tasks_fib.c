#include <stdio.h>
int fib(int n)
{
    if (n < 2)
        return n;
    int x, y;
    #pragma omp task shared(x) if(n > 10) // or-here
    x = fib(n - 1); // expect: race
    #pragma omp task shared(y) //@ good bad
    y = fib(n - 2); // or-here
    #pragma omp taskwait //@ good
    return x + y; // or-here
}
int main(void)
{
    int r = 0;
    #pragma omp parallel
    #pragma omp single
    r = fib(20);
    printf("%d\n", r);
    return 0;
}
