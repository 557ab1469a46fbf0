// A structured region has taken the data away already.
#include <stdio.h>
#define N 20

int main(void)
{
    int a[N];
    for (int i = 0; i < N; i++)
        a[i] = 1;
#pragma omp target enter data map(to: a) //@ good
#pragma omp target data map(tofrom: a)
    {
#pragma omp target
        for (int i = 0; i < N; i++)
            a[i] += i;
    }
#pragma omp target exit data map(from: a) // expect: mapping
    printf("%d\n", a[N - 1]);
    return a[N - 1] != N;
}
