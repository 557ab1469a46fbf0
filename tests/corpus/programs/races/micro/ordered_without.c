#include <stdio.h>
#define N 64
int main(void)
{
    int out[N], n = 0;
    #pragma omp parallel for ordered // or-here
    for (int i = 0; i < N; i++) {
        int v = i * i;
        #pragma omp ordered //@ good
        out[n++] = v; // expect: race
    }
    printf("%d %d\n", out[4], n);
    return 0;
}
