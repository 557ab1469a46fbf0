// A struct is mapped implicitly, with the pointer in it as it is on the host.
#include <stdio.h>
#include <stdlib.h>

struct series { int n; double *y; };

int main(void)
{
    struct series s = { 16, malloc(16 * sizeof(double)) };
    double sum = 0.0;
    for (int i = 0; i < s.n; i++)
        s.y[i] = 0.5;
    double *y = s.y; //@ good
#pragma omp target map(tofrom: sum) //@ bad // expect: mapping
#pragma omp target map(tofrom: sum) map(to: y[0:s.n]) //@ good
#pragma omp target map(tofrom: sum) map(to: s, s.y[0:s.n]) //@ good2
    for (int i = 0; i < s.n; i++)
        sum += s.y[i]; //@ bad good2 // or-here
        sum += y[i]; //@ good
    free(s.y);
    printf("%g\n", sum);
    return sum != 8.0;
}
