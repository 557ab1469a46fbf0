#include <stdio.h>
#include <string.h>
#define N 200
#define K 16
int main(void)
{
    static int a[N][K], r[N];
    int seen[K]; //@ bad
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++) {
        int seen[K]; //@ good
        memset(seen, 0, sizeof seen); // expect: race
        for (int k = 0; k < K; k++) seen[a[i][k] % K] = 1; // or-here
        int c = 0;
        for (int k = 0; k < K; k++) c += seen[k]; // or-here
        r[i] = c;
    }
    printf("%d\n", r[4]);
    return 0;
}
