// A library function takes a callback and runs it in a kernel.
#include <stdio.h>

typedef int (*visitor)(int);

static int plus_one(int v) { return v + 1; }

static void for_each(int *v, int n, visitor visit)
{
#pragma omp target map(tofrom: v[0:n]) //@ bad // or-here
    for (int i = 0; i < n; i++)
        v[i] = visit(v[i]); //@ bad // expect: mapping
        v[i] = visit(v[i]); //@ good
}

int main(void)
{
    int v[8] = { 0 };
    for_each(v, 8, plus_one); // or-here
    return v[7] != 1;
}
