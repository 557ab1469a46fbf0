// The table is made and sent when it is first needed.
#include <stdio.h>
#include <stdlib.h>

static int *squares;

static const int *table(int n)
{
    if (!squares) {
        squares = malloc(n * sizeof(int));
        for (int i = 0; i < n; i++)
            squares[i] = i * i;
#pragma omp target enter data map(to: squares[0:n])
    }
    return squares;
}

static int look(int n, int k)
{
    const int *t = table(n);
    int r = -1;
#pragma omp target map(to: t[0:n]) map(from: r)
    r = t[k];
    return r;
}

int main(void)
{
    int wrong = look(50, 7) != 49 || look(50, 8) != 64;
#pragma omp target exit data map(delete: squares[0:50])
    free(squares);
    return wrong;
}
