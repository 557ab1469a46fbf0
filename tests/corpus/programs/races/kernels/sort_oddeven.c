#include <stdio.h>
#define N 256
static int v[N];
int main(void)
{
    for (int i = 0; i < N; i++)
        v[i] = (i * 97) % 251;
    for (int p = 0; p < N; p++) {
        #pragma omp parallel for // or-here
        for (int i = p % 2; i < N - 1; i += 2) //@ good
        for (int i = p % 2; i < N - 1; i++) //@ bad
            if (v[i] > v[i + 1]) { // or-here
                int t = v[i]; // or-here
                v[i] = v[i + 1]; // expect: race
                v[i + 1] = t; // or-here
            }
    }
    printf("%d\n", v[3]);
    return 0;
}
