// The task uses a variable of a block that is left before the task runs.
#include <stdio.h>

static void produce(int *out, int k)
{
    int value = k * 10;
#pragma omp task shared(value) //@ bad // expect: race
#pragma omp task firstprivate(value) //@ good
    out[k] = value; // or-here
} // or-here

int main(void)
{
    int out[4] = { 0 };
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 4; k++)
        produce(out, k);
    return out[3] != 30;
}
