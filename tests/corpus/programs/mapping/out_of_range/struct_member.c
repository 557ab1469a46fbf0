// A section of a member array that ends in the next member.
#include <stdio.h>

struct record { int tag; short data[24]; short more[8]; };

int main(void)
{
    struct record r = { .tag = 1 };
    int sum = 0;
    for (int i = 0; i < 24; i++)
        r.data[i] = (short)i;
#pragma omp target map(to: r.data[0:32]) map(tofrom: sum) //@ bad // expect: mapping
#pragma omp target map(to: r.data[0:24]) map(tofrom: sum) //@ good
    for (int i = 0; i < 24; i++)
        sum += r.data[i];
    printf("%d\n", sum);
    return sum != 276;
}
