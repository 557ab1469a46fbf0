// The weights of a filter: as a private array they have no values.
#include <stdio.h>
#define N 32
int main(void)
{
    int kern[3] = { 1, 2, 1 };
    int src[N], dst[N];
    for (int i = 0; i < N; i++) { src[i] = i; dst[i] = 0; }
    #pragma omp target teams distribute parallel for private(kern) map(to: src) map(tofrom: dst) //@ bad // or-here
    #pragma omp target teams distribute parallel for firstprivate(kern) map(to: src) map(tofrom: dst) //@ good
    for (int i = 1; i < N - 1; i++)
        dst[i] = (kern[0] * src[i - 1] + kern[1] * src[i] + kern[2] * src[i + 1]) / 4; // expect: mapping [bad]
    printf("%d\n", dst[5]);
    return dst[5] != 5;
}
