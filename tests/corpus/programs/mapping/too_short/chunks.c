// data in chunks: the last chunk's section starts at the wrong place
#include <stdio.h>
#include <stdlib.h>
#define CH 8
int main(void)
{
    int n = 8000, len = n / CH;
    double *x = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) x[i] = i;
    for (int c = 0; c < CH; c++) {
        int off = c * len;
        #pragma omp target teams distribute parallel for map(tofrom: x[c:len]) //@ bad // expect: mapping
        #pragma omp target teams distribute parallel for map(tofrom: x[off:len]) //@ good
        for (int i = off; i < off + len; i++) x[i] *= 2; // or-here
    }
    printf("%g\n", x[n - 1]);
    free(x);
    return 0;
}
