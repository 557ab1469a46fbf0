// Many items in one clause, several clauses, map types without colons.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 6, a[6], *b = malloc(sizeof(a)), c = 0;
    double d[2][3] = { { 1 } };
    for (int i = 0; i < n; i++)
        a[i] = b[i] = i;
#pragma omp target map(a, b[:n], c) map(d) map(to: n)
    {
        for (int i = 0; i < n; i++) {
            a[i] += b[i];
            b[i] = -a[i];
            d[i / 3][i % 3] = a[i];
        }
        c = n;
    }
    int wrong = a[5] != 10 || b[5] != -10 || c != 6 || d[1][2] != 10.0;
    free(b);
    return wrong;
}
