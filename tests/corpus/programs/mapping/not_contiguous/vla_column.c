// One column of a matrix whose size is known at run time only.
#include <stdio.h>

static int first_column(int n, int m[n][n])
{
    int sum = 0;
#pragma omp target map(to: m[0:n][0:1]) map(tofrom: sum) //@ bad // expect: mapping
#pragma omp target map(to: m[0:n][0:n]) map(tofrom: sum) //@ good
#pragma omp target map(to: m[0:1][0:n]) map(tofrom: sum) //@ good2
    for (int i = 0; i < n; i++)
        sum += m[i][0]; //@ bad good // or-here
        sum += m[0][i]; //@ good2
    return sum;
}

int main(void)
{
    int n = 5, m[5][5];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m[i][j] = 2;
    return first_column(n, m) != 10;
}
