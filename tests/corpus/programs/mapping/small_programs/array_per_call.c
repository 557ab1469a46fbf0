// An array of variable length in a function that is called with two lengths.
#include <stdio.h>
static int sum_squares(int n)
{
    int sq[n], s = 0;
    for (int i = 0; i < n; i++) sq[i] = i * i;
#pragma omp target enter data map(to: sq) // or-here
#pragma omp target map(tofrom: s)
    for (int i = 0; i < n; i++) s += sq[i];
#pragma omp target exit data map(release: sq) //@ good
    return s; // expect: mapping
} // or-here
int main(void)
{
    int a = sum_squares(5), b = sum_squares(7);
    printf("%d %d\n", a, b);
    return a != 30 || b != 91;
}
