/* What C and C++ do differently in silence: overloads, enumerations, jumps, mixed types of atomics, hidden names. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "expect.h"

enum color { RED, GREEN = 5, BLUE };
#pragma omp declare target
/* CUDA and C++ have functions of these names; for other types than int. */
static int round_(int x) { return x / 10 * 10; }
static int trunc_to(int x) { return round_(x); }
static int hidden = 4;
static int global_and_local(void)
{
    int before = hidden;
    int hidden = 30;
    return before + hidden;
}
static long sum(int n, int m, int grid[n][m])
{
    long all = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            all = all * 10 + grid[i][j];
    return all;
}
#pragma omp end declare target

int main(void)
{
    double d[12] = {0};
    float f = 2;
    double minus = -2.7;
    enum color red = RED;
    int n = 3;
#pragma omp target map(tofrom : d)
    {
        d[0] = sqrt(f);    /* in double */
        d[1] = abs(minus); /* an int */
        d[2] = red - 1 < 0;
        d[3] = (red | 0) - 1 > 0;
        d[4] = trunc_to(47.9);
        d[5] = fmax(1u, -1);
        d[6] = global_and_local();
        d[7] = floor(n / 2);
        d[8] = ~red > 0;
        d[9] = (n ? red : -1) - 1 > 0;
    }
    expect(d[0], sqrt(f), "sqrt of a float");
    expect(d[1], 2, "abs of a double");
    expect(d[2], 0, "an enumeration minus 1");
    expect(d[3], 1, "an enumeration | 0");
    expect(d[4], 40, "a double for an int");
    expect(d[5], 1, "fmax of integers");
    expect(d[6], 34, "a local variable that hides a global one");
    expect(d[7], 1, "floor of an int");
    expect(d[8], 1, "~ of an enumeration");
    expect(d[9], 1, "?: of an enumeration and an int");

    int steps[4] = {0};
    const int limit = 2;
#pragma omp target map(tofrom : steps)
    {
        int limit = 1; /* hides the parameter of the kernel */
        if (n > 2)
            goto past;
        int skipped[2] = {1, 2};
        const int also = 7;
        steps[0] = skipped[1] + also;
    past:
        steps[1] = limit;
        switch (n) {
        case 1:;
            int inside = 5;
            steps[2] = inside;
            break;
        case 3:
            inside = 6;
            steps[2] = inside;
        }
        for (int i = 0, step = 1; i < 3; i += step) {
#pragma omp parallel num_threads(4)
#pragma omp single
            {
                i += 1;
                steps[3] += i;
            }
        }
    }
    expect(steps[0], 0, "a declaration that is jumped over");
    expect(steps[1], limit - 1, "a local that hides a parameter");
    expect(steps[2], 6, "a case after a declaration");
    expect(steps[3], 1 + 3, "a loop counter that threads change");

    int a = 7, b = -3, c = 100, e = 0;
    unsigned char u = 200;
    float g = 16777216;
    unsigned big = 4000000000u;
#pragma omp target map(tofrom : a, b, c, e, u, g)
    {
#pragma omp atomic
        a *= 1.5;
#pragma omp atomic
        b /= 2u; /* unsigned division */
#pragma omp atomic
        u /= 300;
#pragma omp atomic
        g += 1.0 + 1; /* in double */
#pragma omp atomic capture
        e = c = c - 0.5;
        int value = 1;
#pragma omp atomic
        a += value == 1;
    }
    expect(a, 11, "atomic int *= double");
    expect(b, (int)(-3 / 2u), "atomic int /= unsigned");
    expect(u, 0, "atomic char /= int");
    expect(g, 16777218, "atomic float += double");
    expect(e, 99, "captured");
    expect(big > 0, 1, "");
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    long sizes[6] = {0};
#pragma omp target map(tofrom : sizes) map(to : grid)
    {
        _Bool flag = 0;
        sizes[0] = sizeof 'a' + sizeof(n == 3);
        flag--;
        sizes[1] = flag;
        sizes[2] = flag--;
        sizes[3] = flag++;
        sizes[4] = ++flag;
        sizes[5] = sum(2, 3, grid);
    }
    expect(sizes[0], 8, "sizes of a character and a comparison");
    expect(sizes[1], 1, "false--");
    expect(sizes[2], 1, "true--");
    expect(sizes[3], 0, "false++");
    expect(sizes[4], 1, "++true");
    expect(sizes[5], 123456, "an array whose lengths are parameters");

    double limits[3] = {0};
#pragma omp target map(tofrom : limits)
    {
        limits[0] = -DBL_MAX;
        limits[1] = DBL_EPSILON;
        limits[2] = (double)0.1L + FLT_MAX;
    }
    expect(limits[0], -DBL_MAX, "DBL_MAX, which gcc writes as a long double");
    expect(limits[1], DBL_EPSILON, "DBL_EPSILON");
    expect(limits[2], (double)0.1L + FLT_MAX, "a constant of type long double that becomes a double");
    return failures != 0;
}
