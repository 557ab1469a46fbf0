// A local array enters the device and goes out of scope there.
#include <stdio.h>
#define K 16

static int kernel(int seed)
{
    int work[K], sum = 0;
    for (int i = 0; i < K; i++)
        work[i] = seed + i;
#pragma omp target enter data map(to: work) // expect: mapping
#pragma omp target map(tofrom: sum)
    for (int i = 0; i < K; i++)
        sum += work[i];
#pragma omp target exit data map(delete: work) //@ good
    return sum; // or-here
}

int main(void)
{
    int a = kernel(0), b = kernel(1);
    printf("%d %d\n", a, b);
    return a != 120 || b != 136;
}
