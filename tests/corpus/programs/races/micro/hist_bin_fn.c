#include <stdio.h>
#define N 4096
static int hist[16];
static unsigned bin(unsigned v) { return v * 2654435761u >> 7; }
int main(void)
{
    static unsigned x[N];
    for (int i = 0; i < N; i++) x[i] = i * 7u;
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++) {
        #pragma omp atomic //@ good
        hist[bin(x[i]) % 16]++; // expect: race
    }
    printf("%d\n", hist[3]);
    return 0;
}
