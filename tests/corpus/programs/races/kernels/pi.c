#include <stdio.h>
int main(void)
{
    const int n = 100000;
    double h = 1.0 / n, pi = 0, x;
    #pragma omp parallel for private(x) reduction(+: pi) //@ good
    #pragma omp parallel for reduction(+: pi) //@ bad // or-here
    #pragma omp parallel for private(x) //@ bad2 // or-here
    for (int i = 0; i < n; i++) {
        x = (i + 0.5) * h; // expect: race [bad]
        pi += 4.0 / (1.0 + x * x); // expect: race [bad2]
    }
    printf("%.8f\n", pi * h);
    return 0;
}
