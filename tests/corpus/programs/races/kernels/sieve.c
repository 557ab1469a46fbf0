#include <stdio.h>
#define N 10000
static char composite[N + 1];
static int primes[N];
int main(void)
{
    int np = 0;
    for (int i = 2; i * i <= N; i++)
        if (!composite[i]) {
            #pragma omp parallel for
            for (int j = i * i; j <= N; j += i)
                composite[j] = 1;
        }
    #pragma omp parallel for ordered schedule(static, 64) //@ good
    #pragma omp parallel for schedule(static, 64) //@ bad // or-here
    for (int i = 2; i <= N; i++)
        if (!composite[i]) {
            #pragma omp ordered //@ good
            primes[np++] = i; // expect: race
        }
    printf("%d %d\n", np, primes[10]);
    return 0;
}
