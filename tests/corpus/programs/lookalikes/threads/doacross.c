// depend(sink) and depend(source) order the iterations.
#include <stdio.h>
#define N 30

int main(void)
{
    int a[N] = { 1 };
#pragma omp parallel for ordered(1)
    for (int i = 1; i < N; i++) {
        int w = i % 2;
#pragma omp ordered depend(sink: i - 1)
        a[i] = a[i - 1] + w;
#pragma omp ordered depend(source)
    }
    return a[N - 1] != 16;
}
