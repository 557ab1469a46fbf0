// The result of a task is used before the task is done.
#include <stdio.h>

static int fib(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) // or-here
    a = fib(n - 1); // or-here
#pragma omp task shared(b) // or-here
    b = fib(n - 2); // or-here
#pragma omp taskwait //@ good
    return a + b; // expect: race
}

int main(void)
{
    int f = 0;
#pragma omp parallel
#pragma omp single
    f = fib(10);
    printf("%d\n", f);
    return f != 55;
}
