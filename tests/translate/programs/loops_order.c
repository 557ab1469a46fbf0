/* Chunks taken as they come, iterations in order, scans, the latest assignment. */
#include "expect.h"

#define N 1000
#pragma omp declare target
static void in_a_function(int *ones, int *tens, int n, int chunk)
{
#pragma omp for schedule(dynamic, chunk) nowait
    for (int i = 0; i < n; i++)
        ones[i] += 1;
#pragma omp for schedule(guided, chunk)
    for (int i = n - 1; i >= 0; i--)
        tens[i] += 10;
}
#pragma omp end declare target

static void chunks(int n)
{
    int a[N] = {0};
    int b[N] = {0};
    int c[N] = {0}; /* of loops that nothing keeps apart from those of a and b */
    long sum = 0;
#pragma omp target teams distribute parallel for schedule(dynamic) reduction(+ : sum) map(tofrom : sum) num_teams(3)
    for (int i = 0; i < n; i++) {
        sum += i;
        a[i]++;
    }
#pragma omp target parallel for schedule(guided, 7) num_threads(33)
    for (long i = n - 1; i >= 0; i--)
        a[i]++;
#pragma omp target teams distribute parallel for schedule(dynamic, 4) dist_schedule(static, 50) num_teams(2)
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp target parallel for schedule(nonmonotonic : dynamic, 1000000000)
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp target parallel for schedule(monotonic : dynamic, 3) num_threads(1)
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp target teams distribute parallel for simd schedule(simd : static, 5)
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp target parallel for schedule(runtime)
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp target parallel for schedule(auto) collapse(2)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < n; j++)
            if (i == 1)
                a[j]++;
#pragma omp target map(tofrom : a, b, c)
    {
#pragma omp parallel for schedule(dynamic, 3)
        for (int i = 0; i < n; i++)
            a[i]++;
#pragma omp parallel num_threads(40)
        {
            for (int k = 0; k < 3; k++) {
#pragma omp for schedule(dynamic) nowait
                for (int i = 0; i < n; i++)
                    b[i] += i;
#pragma omp for schedule(guided) nowait
                for (int i = n; i > 0; i--)
                    c[i - 1] += 1;
#pragma omp barrier
            }
            in_a_function(a, c, n, 2);
        }
        in_a_function(a, c, n, 3);
    }
    long bad = 0;
    for (int i = 0; i < n; i++)
        bad += (a[i] != 9 + 2) + (b[i] != 3 * i) + (c[i] != 3 + 20);
    expect(bad, 0, "each iteration once");
    expect(sum, (long)n * (n - 1) / 2, "a sum");
}

static void order(int n)
{
    int list[N], length = 0, bad = 0;
#pragma omp target parallel for ordered map(tofrom : list, length)
    for (int i = 0; i < n; i++) {
        int twice = i * 2;
#pragma omp ordered
        list[length++] = twice;
    }
    for (int i = 0; i < n; i++)
        bad += list[i] != 2 * i;
    expect(length, n, "ordered");
    length = 0;
#pragma omp target map(tofrom : list, length)
#pragma omp parallel num_threads(7)
    {
#pragma omp for ordered schedule(static, 3)
        for (int i = n; i > 0; i--) {
#pragma omp ordered
            list[length++] += i;
        }
    }
    for (int i = 0; i < n; i++)
        bad += list[i] != 2 * i + n - i;
    expect(bad, 0, "in order");

    int grid[20][30];
#pragma omp target map(from : grid)
#pragma omp parallel for ordered(2)
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++) {
            int up = 0, left = 0;
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            if (i > 0)
                up = grid[i - 1][j];
            if (j > 0)
                left = grid[i][j - 1];
            grid[i][j] = i == 0 || j == 0 ? 1 : (up + left) % 1009;
#pragma omp ordered depend(source)
        }
    int want[20][30];
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++)
            want[i][j] = i == 0 || j == 0 ? 1 : (want[i - 1][j] + want[i][j - 1]) % 1009;
    expect(grid[19][29], want[19][29], "doacross");
}

static void scans(int n)
{
    int in[N], before[N], after[N], total = 5, product = 3;
    for (int i = 0; i < n; i++)
        in[i] = i % 7;
#pragma omp target map(tofrom : total, product) map(to : in) map(from : before, after)
    {
#pragma omp parallel for reduction(inscan, + : total)
        for (int i = 0; i < n; i++) {
            total += in[i];
#pragma omp scan inclusive(total)
            after[i] = total;
        }
#pragma omp parallel for reduction(inscan, max : product)
        for (int i = 0; i < n; i++) {
            before[i] = product;
#pragma omp scan exclusive(product)
            product = product > in[i] * i ? product : in[i] * i;
        }
    }
    int sum = 5, most = 3, bad = 0;
    for (int i = 0; i < n; i++) {
        bad += before[i] != most;
        most = most > in[i] * i ? most : in[i] * i;
        sum += in[i];
        bad += after[i] != sum;
    }
    expect(bad, 0, "scans");
    expect(total, sum, "inclusive");
    expect(product, most, "exclusive");
}

static void latest(int n)
{
    int x = -1, y = 0;
#pragma omp target parallel for lastprivate(conditional : x) map(tofrom : x)
    for (int i = 0; i < n; i++)
        if (i % 7 == 3)
            x = i;
    expect(x, (n - 4) / 7 * 7 + 3, "the latest that assigned");
#pragma omp target map(tofrom : x, y)
#pragma omp parallel num_threads(5)
    {
#pragma omp for schedule(dynamic, 2) lastprivate(conditional : x, y)
        for (int i = 0; i < n; i++) {
            if (i == 20 || i == 77)
                x = i * 3;
            if (i < 500)
                y = i;
        }
    }
    expect(x, 231, "two chances");
    expect(y, 499, "the first half");
    int j = 10;
    long sum = 0;
#pragma omp target parallel for linear(j : 3) reduction(+ : sum) map(tofrom : sum, j)
    for (int i = 0; i < n; i++) {
        sum += j;
        j += 3;
    }
    expect(j, 10 + 3 * n, "linear");
    expect(sum, 10L * n + 3L * n * (n - 1) / 2, "linear in the loop");
}

int main(void)
{
    chunks(N);
    chunks(17);
    order(N);
    scans(N);
    latest(N);
    return failures != 0;
}
