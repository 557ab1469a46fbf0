// The variable that is incremented is a private copy, by clause or by the rules.
#include <stdio.h>
#define N 30

int main(void)
{
    int c = 5, d = 5, e = 5, v[N];
#pragma omp parallel for firstprivate(c) schedule(static, 1)
    for (int i = 0; i < N; i++) {
        c += 1;
        v[i] = c > 5;
    }
#pragma omp target teams distribute parallel for firstprivate(d) map(tofrom: v)
    for (int i = 0; i < N; i++) {
        d++;
        v[i] += d > 5;
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(e, i) shared(v)
        {
            e += i;
            v[i] += e;
        }
    }
    return c != 5 || d != 5 || v[3] != 10;
}
