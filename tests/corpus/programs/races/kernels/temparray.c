#include <stdio.h>
#define N 500
static int in[N][3], med[N];
int main(void)
{
    int w[3];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            in[i][k] = (i * (k + 3)) % 17;
    #pragma omp parallel for private(w) //@ good
    #pragma omp parallel for //@ bad // or-here
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            w[k] = in[i][k]; // expect: race
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2 - a; b++)
                if (w[b] > w[b + 1]) { // or-here
                    int t = w[b]; // or-here
                    w[b] = w[b + 1]; // or-here
                    w[b + 1] = t; // or-here
                }
        med[i] = w[1]; // or-here
    }
    printf("%d\n", med[7]);
    return 0;
}
