// An implicit device function with a table of the file.
#include <stdio.h>

static int weights[4] = { 1, 3, 3, 1 };
#pragma omp declare target to(weights) //@ good

static int weighted(const int *v)
{
    int s = 0;
    for (int k = 0; k < 4; k++)
        s += weights[k] * v[k]; // expect: mapping
    return s;
}

int main(void)
{
    int v[4] = { 1, 1, 1, 1 }, out = 0;
#pragma omp target map(to: v) map(from: out)
    out = weighted(v); // or-here
    return out != 8;
}
