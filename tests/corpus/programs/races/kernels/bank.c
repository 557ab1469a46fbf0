#include <omp.h>
#include <stdio.h>
#define N 10
static double balance[N];
static omp_lock_t lock[N];
static void transfer(int from, int to, double x)
{
    int first = from < to ? from : to, second = from < to ? to : from;
    omp_set_lock(&lock[first]); //@ good
    omp_set_lock(&lock[second]); //@ good
    balance[from] -= x; // or-here
    balance[to] += x; // expect: race
    omp_unset_lock(&lock[second]); //@ good
    omp_unset_lock(&lock[first]); //@ good
    (void)first, (void)second;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        omp_init_lock(&lock[i]);
    #pragma omp parallel for // or-here
    for (int i = 0; i < 1000; i++)
        transfer(i % N, (i + 3) % N, 1);
    printf("%g\n", balance[2]);
    return 0;
}
