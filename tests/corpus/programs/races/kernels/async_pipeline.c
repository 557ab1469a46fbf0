#include <stdio.h>
#include <stdlib.h>
#define CH 4
void process(float *data, int n)
{
    int m = n / CH;
    for (int c = 0; c < CH; c++) {
        float *p = data + c * m;
        #pragma omp target teams distribute parallel for map(tofrom: p[0:m]) nowait
        for (int i = 0; i < m; i++)
            p[i] *= 2; // or-here
    }
    #pragma omp taskwait //@ good
    float s = 0;
    for (int i = 0; i < n; i++)
        s += data[i]; // expect: race
    #pragma omp taskwait //@ bad
    printf("%g\n", s);
}
int main(void)
{
    int n = 1024;
    float *d = malloc(n * sizeof *d);
    for (int i = 0; i < n; i++)
        d[i] = i;
    process(d, n);
    free(d);
    return 0;
}
