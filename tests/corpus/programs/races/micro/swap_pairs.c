#include <stdio.h>
#define N 100
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; } // or-here
int main(void)
{
    int v[N];
    for (int i = 0; i < N; i++) v[i] = N - i;
    for (int ph = 0; ph < N; ph++)
        #pragma omp parallel for // or-here
        for (int i = ph % 2; i < N - 1; i += 2) //@ good
        for (int i = ph % 2; i < N - 1; i++) //@ bad
            if (v[i] > v[i + 1]) swap(&v[i], &v[i + 1]); // expect: race
    printf("%d\n", v[3]);
    return 0;
}
