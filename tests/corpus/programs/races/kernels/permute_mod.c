#include <stdio.h>
#define N 1000
static double dst[N];
int main(void)
{
    #pragma omp target teams distribute parallel for map(tofrom: dst) // or-here
    for (int i = 0; i < N; i++) {
        dst[i / 2 * 2 + i % 2] += i; //@ good
        dst[i / 2] += i; //@ bad // expect: race
        dst[i % 10] += i; //@ bad2 // expect: race
        dst[i & ~1] += i; //@ bad3 // expect: race
    }
    printf("%g\n", dst[3]);
    return 0;
}
