/* Loop transformations, which gcc 12 does not know: the order of the iterations is what they say. */
#include "../expect.h"

#define N 10
#define M 7
static long hash(const int *a, int n)
{
    long h = 1;
    for (int k = 0; k < n; k++)
        h = (h * 31 + a[k]) % 1000003;
    return h;
}

/* `time` numbers the iterations in the order in which they run. */
static void order(int n, int m)
{
    int a[N][M] = {{0}}, b[N][M] = {{0}}, time = 0;
#pragma omp target map(tofrom : a) map(to : time)
    {
#pragma omp tile sizes(4, 3)
        for (int i = 0; i < n; i++)
            for (int j = m - 1; j >= 0; j -= 2)
                a[i][j] = ++time;
    }
    time = 0;
    for (int i1 = 0; i1 < n; i1 += 4)
        for (int j1 = m - 1; j1 >= 0; j1 -= 6)
            for (int i = i1; i < i1 + 4 && i < n; i++)
                for (int j = j1; j > j1 - 6 && j >= 0; j -= 2)
                    b[i][j] = ++time;
    expect(hash(a[0], N * M), hash(b[0], N * M), "tile");

    time = 0;
#pragma omp target map(tofrom : a) map(to : time)
    {
#pragma omp interchange
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                if (i == 3)
                    continue;
                a[i][j] = ++time;
            }
    }
    time = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            if (i != 3)
                b[i][j] = ++time;
    expect(hash(a[0], N * M), hash(b[0], N * M), "interchange");

    int c[N] = {0}, d[N] = {0};
    time = 0;
#pragma omp target map(tofrom : c) map(to : time)
    {
#pragma omp reverse
        for (unsigned i = 1; i < (unsigned)n; i += 3)
            c[i] = ++time;
#pragma omp stripe sizes(3)
        for (int i = 0; i < n; i++)
            c[i] += 10 * ++time;
#pragma omp split counts(2, omp_fill, 1)
        for (int i = 0; i < n; i++)
            c[i] += 1000 * ++time;
    }
    time = 0;
    for (int i = (n - 2) / 3 * 3 + 1; i >= 1; i -= 3)
        d[i] = ++time;
    for (int o = 0; o < 3; o++)
        for (int i = o; i < n; i += 3)
            d[i] += 10 * ++time;
    for (int i = 0; i < n; i++)
        d[i] += 1000 * ++time;
    expect(hash(c, N), hash(d, N), "reverse, stripe, split");

    time = 0;
#pragma omp target map(tofrom : c, a) map(to : time)
    {
#pragma omp fuse
        {
            for (int i = 0; i < n; i++) {
                if (i == 2)
                    continue;
                c[i] = ++time;
            }
            for (int j = m; j > 0; j--)
                a[0][j - 1] = ++time;
        }
#pragma omp fuse looprange(2, 2)
        {
            for (int i = 0; i < n; i++)
                a[1][0] = ++time;
            for (int i = 0; i < 3; i++)
                a[2][i] = ++time;
            for (int i = 0; i < 4; i++)
                a[3][i] = ++time;
        }
#pragma omp tile sizes(2) apply(grid : reverse)
        for (int j = 0; j < m; j++)
            a[4][j] = ++time;
#pragma omp interchange permutation(3, 1, 2)
        for (int x = 0; x < 2; x++)
            for (int y = 0; y < 2; y++)
                for (int z = 0; z < 2; z++)
                    a[5 + x][2 * y + z] = ++time;
    }
    time = 0;
    for (int k = 0; k < n || k < m; k++) {
        if (k < n && k != 2)
            d[k] = ++time;
        if (k < m)
            b[0][m - k - 1] = ++time;
    }
    b[1][0] = time += n;
    for (int k = 0; k < 4; k++) {
        if (k < 3)
            b[2][k] = ++time;
        b[3][k] = ++time;
    }
    for (int g = (m - 1) / 2 * 2; g >= 0; g -= 2)
        for (int j = g; j < g + 2 && j < m; j++)
            b[4][j] = ++time;
    for (int z = 0; z < 2; z++)
        for (int x = 0; x < 2; x++)
            for (int y = 0; y < 2; y++)
                b[5 + x][2 * y + z] = ++time;
    expect(hash(c, N), hash(d, N), "fuse");
    expect(hash(a[0], N * M), hash(b[0], N * M), "fuse, apply, permutation");
}

/* Under a worksharing construct, and one in the other. */
static void shared_work(int n, int m)
{
    int a[N][M] = {{0}}, bad = 0;
    long sum = 0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a)
#pragma omp tile sizes(3, 2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] += 1;
#pragma omp target parallel for reduction(+ : sum) map(tofrom : a, sum)
#pragma omp unroll partial(4)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            a[i][j] += 2;
            sum += i * j;
        }
#pragma omp target teams distribute parallel for map(tofrom : a)
#pragma omp tile sizes(2)
#pragma omp reverse
    for (int i = n - 1; i >= 0; i--)
#pragma omp unroll full
        for (int j = 0; j < 7; j++)
            a[i][j] += 4;
#pragma omp target map(tofrom : a)
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(dynamic, 2)
#pragma omp interchange
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i][j] += 8;
#pragma omp for
#pragma omp fuse
        {
            for (int i = 0; i < n; i++)
                a[i][0] += 16;
            for (int j = 1; j < m; j++)
                a[3][j] += 16;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            bad += a[i][j] != 15 + 16 * (j == 0 || i == 3);
    expect(bad, 0, "each once");
    expect(sum, (long)n * (n - 1) / 2 * (m * (m - 1) / 2), "a sum");
}

/* The nest of a `collapse` may have other code in it. */
static void imperfect(int n, int m)
{
    int a[N][M] = {{0}}, row[N] = {0}, bad = 0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a, row)
    for (int i = 0; i < n; i++) {
        row[i] += i;
        for (int j = 0; j < m; j++)
            a[i][j] += row[i];
        row[i]++;
    }
    int i, j;
#pragma omp target map(tofrom : a, row)
#pragma omp parallel for collapse(2)
    for (i = 0; i < n; i++) {
        row[i] += i;
        for (j = 0; j < m; j++)
            a[i][j] += row[i];
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            bad += a[i][j] != 3 * i + 1 || row[i] != 2 * i + 1;
    expect(bad, 0, "code between the loops");
}

/* Names that generated counters could have, constant counts that blocks divide or not, and ends of the types. */
#define i_block 5
#define i_at row
static void names_and_ends(int n)
{
    int a[16] = {0}, j_in = 3, i_at[N] = {0}, last = 2147483647;
    unsigned most = 4294967295u;
    long sum = 0;
#pragma omp target map(tofrom : a, i_at, sum) map(to : j_in)
    {
#pragma omp tile sizes(4)
        for (int i = 0; i < 16; i++)
            a[i] += i + i_block;
#pragma omp tile sizes(5, 3)
        for (int i = -3; i <= 12; i += 2)
            for (int j = 1; j < 4; j++)
                a[i + 3] += j + j_in;
#pragma omp interchange
        for (int i = 0; i < 4; i++)
            for (int j = n; j > 0; j--)
                i_at[j - 1] += i;
#pragma omp tile sizes(4)
        for (int i = last - 2; i < last; i++)
            sum += i;
#pragma omp tile sizes(2)
        for (unsigned i = most - 3; i < most; i++)
            sum += i - 4294967290u;
#pragma omp reverse
        for (unsigned char i = 250; i > 3; i -= 7)
            sum += i;
    }
    int wrong = 0;
    for (int i = 0; i < 16; i++)
        wrong += a[i] != i + 5 + (i % 2 ? 0 : 6 + 9);
    expect(wrong, 0, "constant blocks");
    for (int i = 0; i < n; i++)
        wrong += i_at[i] != 6;
    expect(wrong, 0, "a name that a macro has");
    long expected = 2147483645L + 2147483646L + 2 + 3 + 4;
    for (int i = 250; i > 3; i -= 7)
        expected += i;
    expect(sum, expected, "ends of the types");
}
#undef i_block
#undef i_at

int main(void)
{
    order(N, M);
    names_and_ends(N);
    shared_work(N, M);
    imperfect(N, M);
    return failures != 0;
}
