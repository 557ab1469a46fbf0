#include <stdio.h>
static long fib(int n)
{
    long a, b;
    if (n < 2) return n;
    #pragma omp task shared(a) // or-here
    a = fib(n - 1); // or-here
    b = fib(n - 2);
    #pragma omp taskwait //@ good
    return a + b; // expect: race
}
int main(void)
{
    long r;
    #pragma omp parallel
    #pragma omp single
    r = fib(10);
    printf("%ld\n", r);
    return 0;
}
