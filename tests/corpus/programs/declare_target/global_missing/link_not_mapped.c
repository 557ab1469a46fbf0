// A `link` variable is on the device only while it is mapped.
#include <stdio.h>

int big[1000];
#pragma omp declare target link(big) // or-here

static int first(void)
{
    int f = 0;
#pragma omp target map(from: f) //@ bad // expect: mapping
#pragma omp target map(from: f) map(to: big) //@ good
    f = big[0]; // or-here
    return f;
}

int main(void)
{
    big[0] = 12;
    int f = first();
    printf("%d\n", f);
    return f != 12;
}
