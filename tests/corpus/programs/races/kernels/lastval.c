#include <stdio.h>
#define N 300
static int a[N];
int main(void)
{
    int idx = 0;
    #pragma omp parallel for lastprivate(idx) //@ good
    #pragma omp parallel for //@ bad // or-here
    for (int i = 0; i < N; i++) {
        idx = N - 1 - i; // expect: race
        a[idx] = i; // or-here
    }
    printf("%d %d\n", idx, a[4]);
    return 0;
}
