// Only the part that is read has values; the rest goes along.
#include <stdio.h>
#define ROOM 64

int main(void)
{
    int stack[ROOM], used = 0, sum = 0;
    for (int i = 0; i < 10; i++)
        if (i % 3)
            stack[used++] = i;
#pragma omp target map(to: stack) map(tofrom: sum)
    for (int i = 0; i < used; i++)
        sum += stack[i];
    return sum != 27;
}
