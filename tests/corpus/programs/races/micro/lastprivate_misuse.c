#include <stdio.h>
#define N 300
int main(void)
{
    int a[N], last, j;
    for (int i = 0; i < N; i++) a[i] = i;
    #pragma omp parallel for lastprivate(last) private(j) //@ good
    #pragma omp parallel for lastprivate(last) //@ bad // or-here
    for (int i = 0; i < N; i++) {
        j = a[i] / 2; // expect: race
        last = j + 1; // or-here
    }
    printf("%d\n", last);
    return 0;
}
