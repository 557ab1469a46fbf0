/* More than a slow line carries within the patience of a program. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { N = 28 << 20 };
    char *x = malloc(N);
    int found = 0;
    x[N - 1] = 3;
#pragma omp target map(tofrom: x[0:N]) map(from: found)
    {
        found = x[N - 1] + 1;
        x[N - 1] = 9;
    }
    printf("%d %d\n", found, x[N - 1]);
    free(x);
    return 0;
}
