// The members of a struct are mapped one by one, a part of an array member among them.
#include <stdio.h>

struct acc { int a, b; double c[6]; };

int main(void)
{
    struct acc x = { 1, 2, { 0 } };
#pragma omp target map(tofrom: x.a, x.b, x.c[:2])
    {
        x.a += 10;
        x.b += x.a;
        x.c[0] = x.b;
        x.c[1] = x.c[0] + 1;
    }
    return x.a != 11 || x.b != 13 || x.c[1] != 14.0;
}
