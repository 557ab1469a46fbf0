// A new buffer enters in every round.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    long total = 0;
    for (int round = 1; round <= 4; round++) {
        int n = 16 * round, part = 0;
        int *buf = malloc(n * sizeof *buf);
        for (int i = 0; i < n; i++)
            buf[i] = round;
#pragma omp target enter data map(to: buf[0:n]) // expect: mapping
#pragma omp target map(tofrom: part)
        for (int i = 0; i < n; i++)
            part += buf[i];
        total += part;
#pragma omp target exit data map(release: buf[0:n]) //@ good
        free(buf); // or-here
    }
    printf("%ld\n", total);
    return total != 16 * (1 + 4 + 9 + 16);
}
