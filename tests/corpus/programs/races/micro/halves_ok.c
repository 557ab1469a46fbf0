#include <stdio.h>
#define N 400
int main(void)
{
    static double a[N];
    #pragma omp parallel for // or-here
    for (int i = 0; i < N / 2; i++)
        a[i + N / 2] = a[i] + 1; //@ good
        a[i + N / 2 - 1] = a[i] + 1; //@ bad // expect: race
    printf("%g\n", a[30]);
    return 0;
}
