// Two sections of one array that overlap, in the same directive.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 60, *v = calloc(n, sizeof(int));
#pragma omp target data map(to: v[0:40]) map(from: v[20:40]) //@ bad // expect: mapping
#pragma omp target data map(tofrom: v[0:60]) //@ good
    {
#pragma omp target
        for (int i = 20; i < 60; i++)
            v[i] = i; // or-here
    }
    int wrong = v[59] != 59;
    free(v);
    return wrong;
}
