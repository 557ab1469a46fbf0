#include <stdio.h>
#define N 1000
static int a[N];
int main(void)
{
    int sum = 0;
    #pragma omp target teams distribute parallel for nowait map(from: a) depend(out: a) //@ good
    #pragma omp target teams distribute parallel for nowait map(from: a) //@ bad bad2 // or-here
    for (int i = 0; i < N; i++)
        a[i] = i * 3; // or-here
    int k = 0;
    for (int i = 0; i < 100; i++)
        k += i;
    #pragma omp taskwait depend(in: a) //@ good
    for (int i = 0; i < N; i++)
        sum += a[i]; //@ good bad // expect: race [bad]
        a[i] += k; //@ bad2 // expect: race [bad2]
    #pragma omp taskwait
    printf("%d %d\n", sum, k);
    return 0;
}
