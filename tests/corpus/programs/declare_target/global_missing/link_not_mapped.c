// A `link` variable is on the device only while it is mapped; a function that uses it does not map it.
#include <stdio.h>

static int big[1000];
#pragma omp declare target link(big) // or-here

static int at(int i)
{
    return big[i]; // or-here
}

static int first(void)
{
    int f = 0;
#pragma omp target map(from: f) //@ bad // or-here
#pragma omp target map(from: f) map(to: big) //@ good
    f = at(0); // expect: mapping
    return f;
}

static int direct(void)
{
    int f = 0;
#pragma omp target map(from: f)
    f = big[1];
    return f;
}

int main(void)
{
    big[0] = 12;
    big[1] = 7;
    int f = first();
    printf("%d\n", f);
    return f != 12 || direct() != 7;
}
