// Globals used in the region itself are mapped or copied implicitly.
#include <stdio.h>

enum { N = 20 };
static int table[N];
static int offset = 3;
static const double half = 0.5;
static struct { int lo, hi; } range = { 2, 9 };

int main(void)
{
    for (int i = 0; i < N; i++)
        table[i] = i;
    double sum = 0.0;
#pragma omp target map(tofrom: sum)
    for (int i = range.lo; i < range.hi; i++) {
        table[i] += offset;
        sum += half * table[i];
    }
    return sum != 28.0 || table[2] != 5 || table[9] != 9;
}
