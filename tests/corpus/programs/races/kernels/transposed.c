#include <stdio.h>
#define N 128
static float a[N][N];
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = i * N + j;
    #pragma omp parallel for schedule(dynamic) // or-here
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) { //@ good
        for (int j = 0; j < N; j++) { //@ bad
            float t = a[i][j]; // or-here
            a[i][j] = a[j][i]; // expect: race
            a[j][i] = t; // or-here
        }
    printf("%g\n", a[1][2]);
    return 0;
}
