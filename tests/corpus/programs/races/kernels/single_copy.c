#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n = 0;
    double *buf = NULL, s = 0;
    #pragma omp parallel shared(n, buf) reduction(+: s)
    {
        #pragma omp single //@ good
        #pragma omp single nowait //@ bad // or-here
        {
            n = 1000; // or-here
            buf = calloc(n, sizeof *buf); // expect: race [bad]
        }
        #pragma omp for nowait
        for (int i = 0; i < n; i++) // or-here
            buf[i] += i; // or-here
        #pragma omp barrier
        for (int i = 0; i < n; i += 100)
            s += buf[i];
    }
    printf("%g\n", s);
    free(buf);
    return 0;
}
