// New input in every round; `to` copies in none of them.
#include <stdio.h>
#include <stdlib.h>

static int consume(const int *in, int n)
{
    int s = 0;
#pragma omp target map(to: in[0:n]) map(tofrom: s) //@ bad // expect: mapping
#pragma omp target map(always, to: in[0:n]) map(tofrom: s) //@ good
    for (int i = 0; i < n; i++)
        s += in[i]; // or-here
    return s;
}

int main(void)
{
    int n = 6, total = 0, *in = malloc(n * sizeof(int));
#pragma omp target data map(alloc: in[0:n]) // or-here
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < n; i++)
            in[i] = round; // or-here
        total += consume(in, n); // or-here
    }
    free(in);
    printf("%d\n", total);
    return total != 36;
}
