// An unnamed critical region is not the named one.
#include <stdio.h>

static int total;

static void add(int v)
{
#pragma omp critical //@ bad
#pragma omp critical(total) //@ good
    total += v; // expect: race
}

int main(void)
{
#pragma omp parallel for
    for (int i = 1; i <= 100; i++) {
        add(i); // or-here
#pragma omp critical(total)
        total += 1; // or-here
    }
    return total != 5150;
}
