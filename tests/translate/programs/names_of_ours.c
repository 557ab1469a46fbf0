/* Variables called as what the translator adds to a name of its own: `it`, `x`, `y`, `row`, `first`, `a_1`. */
#include "expect.h"

int main(void)
{
    enum { N = 8 };
    int it = -1, j = 0, q = 0, x[4] = {0}, total = 0;

#pragma omp target map(tofrom : it, q)
    {
        q = 1;
#pragma omp parallel for collapse(2) lastprivate(it)
        for (int i = 0; i < N; i++)
            for (int k = 0; k <= i; k++)
                it = 100 * i + k;
    }
    EXPECT(it, 707);

#pragma omp target map(tofrom : j, q, total)
    {
        int i, k;
        q = 2;
#pragma omp parallel for collapse(3) lastprivate(j) reduction(+ : total)
        for (i = 0; i < N; i++)
            for (j = 0; j <= i; j++)
                for (k = 0; k <= j; k++)
                    total++;
    }
    EXPECT(q, 2);
    EXPECT(j, 8);
    EXPECT(total, 120);

#pragma omp target teams distribute parallel for reduction(+ : x[0:4])
    for (int row = 0; row < 100; row++)
        x[row % 4] += row;
    EXPECT(x[3], 3 + 96 * 25 / 2 + 24 * 3);

    int first = 3, last = 5, count = 7, at = 0, of_at = 0;
#pragma omp target teams distribute parallel for collapse(2) firstprivate(first, last, count) lastprivate(at, of_at)
    for (int of_y = 0; of_y < 10; of_y++)
        for (int y = 0; y < 20; y++) {
            at = of_y * first + last + count;
            of_at = y;
        }
    EXPECT(at, 39);
    EXPECT(of_at, 19);

    int n = 3, a_1 = 4, sum = 0;
#pragma omp target map(tofrom : sum)
    {
        int a[n][a_1];
        int ompls = 0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < a_1; k++)
                a[i][k] = ++ompls;
        int a_2[a_1][n];
        a_2[0][0] = a[2][3];
        sum = a_2[0][0];
    }
    EXPECT(sum, 12);
    return failures != 0;
}
