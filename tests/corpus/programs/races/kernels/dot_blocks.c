#include <stdio.h>
#define N 4096
#define B 16
static float x[N], y[N];
int main(void)
{
    float part[B] = {0}, dot = 0;
    for (int i = 0; i < N; i++)
        x[i] = y[i] = 1;
    #pragma omp target teams distribute parallel for collapse(2) map(to: x, y) map(tofrom: part) //@ bad // or-here
    #pragma omp target teams distribute parallel for map(to: x, y) map(tofrom: part) //@ good
    #pragma omp target map(to: x, y) map(tofrom: part) //@ bad2
    #pragma omp parallel for //@ bad2 // or-here
    for (int b = 0; b < B; b++) //@ good bad
        for (int i = 0; i < N / B; i++) //@ good bad
            part[b] += x[b * (N / B) + i] * y[b * (N / B) + i]; //@ good bad // expect: race [bad]
    for (int i = 0; i < N; i++) //@ bad2
        part[i % B] += x[i] * y[i]; //@ bad2 // expect: race [bad2]
    for (int b = 0; b < B; b++)
        dot += part[b];
    printf("%g\n", dot);
    return 0;
}
