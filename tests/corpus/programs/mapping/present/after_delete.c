// The data was there until a line before.
// needs: clang (gcc 12 does not know this)
#include <stdio.h>
#define N 18

static int table[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        table[i] = i;
#pragma omp target enter data map(to: table)
#pragma omp target map(present, tofrom: table)
    table[0] = 1;
#pragma omp target exit data map(from: table) //@ bad // or-here
#pragma omp target map(present, tofrom: table) // expect: mapping
    table[1] = 2;
#pragma omp target exit data map(from: table) //@ good
    return table[0] != 1 || table[1] != 2;
}
