// sizeof gives bytes; a section counts elements.
#include <stdio.h>

int main(void)
{
    double v[32], s = 0.0;
    for (int i = 0; i < 32; i++)
        v[i] = 0.25;
#pragma omp target map(to: v[0:sizeof(v)]) map(tofrom: s) //@ bad // expect: mapping
#pragma omp target map(to: v[0:sizeof(v)/sizeof(v[0])]) map(tofrom: s) //@ good
    for (int i = 0; i < 32; i++)
        s += v[i];
    printf("%g\n", s);
    return s != 8.0;
}
