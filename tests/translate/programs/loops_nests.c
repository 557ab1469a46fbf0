/* Collapsed nests whose inner bounds depend on outer counters: triangles, trapezoids, rows that are empty. */
#include "expect.h"

#define N 50
static int a[N][N];
static void triangle(int n, int from)
{
    long sum = 0, want = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) map(tofrom : sum)
    for (int i = from; i < n; i++)
        for (int j = i; j < n; j++)
            sum += i * 1000 + j;
    for (int i = from; i < n; i++)
        for (int j = i; j < n; j++)
            want += i * 1000 + j;
    expect(sum, want, "triangle");

    sum = want = 0;
#pragma omp target parallel for collapse(2) reduction(+ : sum) map(tofrom : sum)
    for (long i = n - 1; i >= from; i -= 2)
        for (long j = 2 * i + 3; j > 7 - i; j--)
            sum += i * 1000 + j;
    for (long i = n - 1; i >= from; i -= 2)
        for (long j = 2 * i + 3; j > 7 - i; j--)
            want += i * 1000 + j;
    expect(sum, want, "trapezoid, downwards");
}

static void rows_that_are_empty(int n)
{
    long sum = 0, want = 0;
    int i, j, x = -1;
#pragma omp target parallel for collapse(2) lastprivate(i, j, x) map(from : i, j, x)
    for (i = 0; i < n; i++)
        for (j = i; j < 20; j++)
            x = i * 100 + j;
    expect(x, 1919, "the last iteration is the last one that a row has");
    expect(i * 1000 + j, 20020, "its counters");

#pragma omp target teams distribute parallel for collapse(2) lastprivate(x) reduction(+ : sum) map(tofrom : sum, x)
    for (int k = 0; k < n; k++)
        for (int l = 30; l < 2 * k; l += 2)
            sum += x = k * 100 + l;
    int last = 0;
    for (int k = 0; k < n; k++)
        for (int l = 30; l < 2 * k; l += 2)
            want += last = k * 100 + l;
    expect(sum, want, "empty rows at the beginning");
    expect(x, last, "and the last iteration");

    sum = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) map(tofrom : sum)
    for (int k = 5; k < 5; k++)
        for (int l = k; l < n; l++)
            sum++;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) map(tofrom : sum)
    for (int k = 5; k < 9; k++)
        for (int l = k; l < k - 3; l++)
            sum++;
    expect(sum, 0, "no iterations");
}

static void three(int n)
{
    long sum = 0, want = 0;
#pragma omp target teams distribute parallel for collapse(3) reduction(+ : sum) map(tofrom : sum)
    for (int i = 0; i < n; i += 3)
        for (int j = 3 * i + 1; j > i - 2; j -= 2)
            for (int k = 0; k <= 2 * j + 5; k += 4)
                sum += i * j + k;
    for (int i = 0; i < n; i += 3)
        for (int j = 3 * i + 1; j > i - 2; j -= 2)
            for (int k = 0; k <= 2 * j + 5; k += 4)
                want += i * j + k;
    expect(sum, want, "a row of rows");

    sum = want = 0;
#pragma omp target teams distribute parallel for collapse(3) reduction(+ : sum) map(tofrom : sum)
    for (unsigned i = 4; i < 11; i++)
        for (int j = 0; j < 3; j++)
            for (unsigned k = 3 * i - 12; k != 2 * i + 9; k++)
                sum += i * 10000 + j * 100 + k;
    for (unsigned i = 4; i < 11; i++)
        for (int j = 0; j < 3; j++)
            for (unsigned k = 3 * i - 12; k != 2 * i + 9; k++)
                want += i * 10000 + j * 100 + k;
    expect(sum, want, "the innermost by the outermost");

    int *p = &a[0][0];
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : p[0 : N * N])
    for (int *row = p; row < p + N * N; row += N)
        for (int *q = row; q < row + N; q++)
            *q += 1;
}

int main(void)
{
    triangle(N, 0);
    triangle(31, 7);
    triangle(3, 3);
    rows_that_are_empty(N);
    three(N / 2);

    long sum = 0;
#pragma omp target map(tofrom : a, sum)
    {
#pragma omp parallel for collapse(2)
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++)
                a[i][j] += 2;
#pragma omp parallel
        {
#pragma omp for collapse(2) reduction(+ : sum)
            for (int i = 0; i < N; i++)
                for (int j = N - 1; j > i; j--)
                    sum += a[i][j];
        }
    }
    expect(sum, N * (N - 1) / 2, "in parallel regions");
#pragma omp target teams map(tofrom : a) num_teams(3)
#pragma omp distribute parallel for collapse(2)
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            a[i][j] += 2;
    sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += a[i][j] != (i == j ? 5 : 3);
    expect(sum, 0, "each once");
    return failures != 0;
}
