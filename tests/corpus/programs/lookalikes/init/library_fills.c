// Host data initialised by library functions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int n = 16, sum = 0;
    int *a = malloc(n * sizeof(int)), *b = malloc(n * sizeof(int)), *c = malloc(n * sizeof(int));
    char text[32];
    memset(a, 0, n * sizeof(int));
    memcpy(b, a, n * sizeof(int));
    memset(c, 0, n * sizeof(int));
    snprintf(text, sizeof text, "%d", 12);
#pragma omp target map(to: a[0:n], b[0:n], c[0:n], text) map(tofrom: sum)
    {
        for (int i = 0; i < n; i++)
            sum += a[i] + b[i] + c[i];
        sum += text[0];
    }
    free(a);
    free(b);
    free(c);
    return sum != '1';
}
