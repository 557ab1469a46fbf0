// `tofrom` of a sum that has no initial value.
#include <stdio.h>

static int total(const int *v, int n)
{
    int sum; //@ bad // or-here
    int sum = 0; //@ good
#pragma omp target map(to: v[0:n]) map(tofrom: sum) // expect: mapping
    for (int i = 0; i < n; i++)
        sum += v[i]; // or-here
    return sum; // or-here
}

int main(void)
{
    int v[4] = { 1, 2, 3, 4 };
    return total(v, 4) != 10;
}
