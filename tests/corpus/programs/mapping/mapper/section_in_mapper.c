// The mapper's section is as long as the wrong member says.
// needs: clang (gcc 12 does not know this)
#include <stdio.h>
#include <stdlib.h>

typedef struct { int used, room; long *item; } stack;
#pragma omp declare mapper(stack s) map(s.used, s.room, s.item[0:s.used]) //@ bad // or-here
#pragma omp declare mapper(stack s) map(s.used, s.room, s.item[0:s.room]) //@ good

int main(void)
{
    stack s = { 0, 10, malloc(10 * sizeof(long)) };
    for (int i = 0; i < 10; i++)
        s.item[i] = 0;
#pragma omp target map(tofrom: s) // expect: mapping
    for (int i = 0; i < s.room; i++)
        s.item[i] = i; // or-here
    long last = s.item[9];
    free(s.item);
    return last != 9;
}
