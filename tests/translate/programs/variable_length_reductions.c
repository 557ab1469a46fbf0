/* reduction and lastprivate of arrays of variable length, whole and in part.  (gcc 12 crashes where they are listed on a
   construct that is combined with target: there only parts are.) */
#include "expect.h"

static void reduced(int n, int m)
{
    double h[n];
    int g[n][m];
    for (int i = 0; i < n; i++) {
        h[i] = i;
        for (int j = 0; j < m; j++)
            g[i][j] = j;
    }
#pragma omp target map(tofrom : h, g)
    {
#pragma omp parallel for reduction(+ : h)
        for (int i = 0; i < 1000; i++)
            h[i % n] += i;
#pragma omp parallel for reduction(+ : g)
        for (int i = 0; i < 900; i++)
            g[i % n][i % m] += i;
#pragma omp parallel for reduction(max : h[1 : n - 2])
        for (int i = 0; i < 100; i++)
            h[1 + i % (n - 2)] = 100000 + i;
#pragma omp parallel for reduction(+ : g[n - 1][0 : m])
        for (int i = 0; i < 100; i++)
            g[n - 1][i % m] += 1;
    }
    expect(h[0], 99500, "beside the section");
    expect(h[1] + h[n - 2], 100099 + 100103, "a section");
    expect(h[n - 1], 100300 + 4, "a whole array");
    int all = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            all += g[i][j];
    expect(all, 899 * 450 + n * 3 + 100, "two dimensions");
    expect(g[n - 1][0], 27124, "a row");
}

static void assigned_last(int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = -1;
#pragma omp target map(tofrom : a)
    {
        int own[n];
#pragma omp parallel for lastprivate(own)
        for (int i = 0; i < 10; i++)
            for (int k = 0; k < n; k++)
                own[k] = i * k + (int)(sizeof own / sizeof *own);
#pragma omp parallel for reduction(+ : own)
        for (int i = 0; i < 10; i++)
            own[i % n] += i;
#pragma omp parallel for lastprivate(a)
        for (int i = 0; i < 10; i++)
            for (int k = 0; k < n; k++)
                a[k] = own[k] + i;
    }
    expect(a[0], 6 + 6 + 9, "the first element");
    expect(a[5], 45 + 6 + 5 + 9, "the last element");
}

int main(void)
{
    reduced(5, 3);
    assigned_last(6);
    return failures != 0;
}
