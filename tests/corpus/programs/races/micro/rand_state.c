#include <stdio.h>
static unsigned state = 1;
#pragma omp threadprivate(state) //@ good
static unsigned next(void)
{
    state = state * 1103515245u + 12345u; // expect: race
    return state >> 16; // or-here
}
int main(void)
{
    int in = 0;
    #pragma omp parallel for reduction(+: in) // or-here
    for (int i = 0; i < 10000; i++)
        if (next() % 2) in++; // or-here
    printf("%d\n", in);
    return 0;
}
