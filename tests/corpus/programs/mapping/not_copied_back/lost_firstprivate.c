// A scalar without a map clause is a private copy on the device.
#include <stdio.h>

int main(void)
{
    int v[100], found = -1;
    for (int i = 0; i < 100; i++)
        v[i] = (i * 7) % 100;
#pragma omp target map(to: v) //@ bad // expect: mapping
#pragma omp target map(to: v) map(tofrom: found) //@ good
#pragma omp target map(to: v) defaultmap(tofrom: scalar) //@ good2
    for (int i = 0; i < 100; i++)
        if (v[i] == 42)
            found = i; // or-here
    printf("42 is at %d\n", found); // or-here
    return found != 6;
}
