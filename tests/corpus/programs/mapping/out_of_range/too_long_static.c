// A section longer than the array.
#include <stdio.h>

int main(void)
{
    int a[100], b[10] = { 0 };
    for (int i = 0; i < 100; i++)
        a[i] = i;
#pragma omp target map(to: a[0:101]) map(tofrom: b) //@ bad // expect: mapping
#pragma omp target map(to: a[0:100]) map(tofrom: b) //@ good
    for (int i = 0; i < 100; i++)
        b[i % 10] += a[i];
    printf("%d\n", b[0]);
    return b[0] != 450;
}
