#include <stdio.h>
#define N 10000
static int x[N];
int main(void)
{
    int s = 0;
    for (int i = 0; i < N; i++)
        x[i] = 1;
    #pragma omp target teams distribute map(to: x) map(tofrom: s) reduction(+: s) //@ good
    #pragma omp target teams distribute map(to: x) map(tofrom: s) //@ bad // or-here
    for (int b = 0; b < N; b += 100) {
        int local = 0;
        #pragma omp parallel for reduction(+: local)
        for (int i = b; i < b + 100; i++)
            local += x[i];
        s += local; // expect: race
    }
    printf("%d\n", s);
    return 0;
}
