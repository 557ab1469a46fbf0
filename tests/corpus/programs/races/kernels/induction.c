#include <stdio.h>
#define N 300
static float a[N], b[3 * N];
int main(void)
{
    int j = 0;
    #pragma omp target teams distribute parallel for map(to: b) map(from: a) map(tofrom: j) //@ bad // or-here
    #pragma omp target teams distribute parallel for map(to: b) map(from: a) //@ good
    for (int i = 0; i < N; i++) {
        int j = 3 * i; //@ good
        a[i] = b[j]; // or-here
        j += 3; //@ bad // expect: race
    }
    printf("%g %d\n", a[4], j);
    return 0;
}
