// The table of indices is constant, and has the same one twice.
#include <stdio.h>

static const int slot[6] = { 0, 1, 2, 2, 3, 4 }; //@ bad
static const int slot[6] = { 0, 1, 2, 5, 3, 4 }; //@ good

int main(void)
{
    int out[6] = { 0 };
#pragma omp parallel for
    for (int i = 0; i < 6; i++)
        out[slot[i]] = i; // expect: race
    return out[0] != 0;
}
