// An accumulator array that comes back, but never went.
#include <stdio.h>

enum { SIZE = 128 };

int main(void)
{
    int sums[SIZE], data[SIZE];
    for (int i = 0; i < SIZE; i++) {
        sums[i] = 10;
        data[i] = i;
    }
#pragma omp target teams distribute parallel for map(to: data) map(from: sums) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(to: data) map(tofrom: sums) //@ good
#pragma omp target teams distribute parallel for map(to: data) map(from: sums) //@ good2
    for (int i = 0; i < SIZE; i++)
        sums[i] += data[i]; //@ bad good // or-here
        sums[i] = 10 + data[i]; //@ good2
    int errors = 0;
    for (int i = 0; i < SIZE; i++)
        errors += sums[i] != 10 + i;
    printf("%d errors\n", errors);
    return errors != 0;
}
