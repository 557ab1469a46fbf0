/* Reductions of single elements and short sections far from the beginning: their parts are smaller than their offset. */
#include "expect.h"

enum { N = 10, SUM = 45, FAR = 5000 };

int main(void)
{
    int a[20] = {0}, m[3][4] = {0}, *p = a, where = 9;
    static double big[FAR + 3];
#pragma omp target teams distribute parallel for reduction(+ : a[19])
    for (int i = 0; i < N; i++)
        a[19] += i;
    expect(a[19], SUM, "an element");
    expect(a[18], 0, "beside it");
#pragma omp target teams distribute parallel for reduction(+ : a[3 : 2]) map(tofrom : a)
    for (int i = 0; i < N; i++) {
        a[3] += i;
        a[4] += 2 * i;
    }
    expect(a[3] + a[4], 3 * SUM, "a section");
#pragma omp target teams distribute parallel for reduction(+ : p[5]) map(tofrom : p[0 : 20])
    for (int i = 0; i < N; i++)
        p[5] += i;
    expect(a[5], SUM, "an element behind a pointer");
#pragma omp target teams distribute parallel for reduction(+ : p[where]) map(tofrom : p[0 : 20])
    for (int i = 0; i < N; i++)
        p[9] += i;
    expect(a[9], SUM, "an element that a variable says");
#pragma omp target teams distribute parallel for reduction(+ : m[1][2]) map(tofrom : m)
    for (int i = 0; i < N; i++)
        m[1][2] += i;
    expect(m[1][2], SUM, "an element of a matrix");
#pragma omp target teams distribute parallel for reduction(+ : m[2]) map(tofrom : m)
    for (int i = 0; i < N; i++)
        m[2][i % 4] += i;
    expect(m[2][0] + m[2][1] + m[2][2] + m[2][3], SUM, "a row");
#pragma omp target teams distribute parallel for reduction(+ : big[FAR : 2]) map(tofrom : big)
    for (int i = 0; i < N; i++) {
        big[FAR] += i;
        big[FAR + 1] += 2 * i;
    }
    expect(big[FAR] + big[FAR + 1], 3 * SUM, "a section far away");
#pragma omp target teams reduction(max : a[17]) map(tofrom : a) num_teams(3)
    {
#pragma omp parallel for reduction(max : a[17])
        for (int i = 0; i < N; i++)
            a[17] = a[17] > i ? a[17] : i;
    }
    expect(a[17], N - 1, "teams and threads");
#pragma omp target map(tofrom : a)
    {
#pragma omp parallel for reduction(+ : a[8])
        for (int i = 0; i < N; i++)
            a[8] += i;
    }
    expect(a[8], SUM, "threads");
#pragma omp target map(tofrom : big)
    {
#pragma omp parallel for reduction(+ : big[FAR + 2])
        for (int i = 0; i < N; i++)
            big[FAR + 2] += i;
    }
    expect(big[FAR + 2], SUM, "threads, far away");
    int e[8] = {0};
#pragma omp target teams map(tofrom : e) reduction(+ : e[1 : 5]) num_teams(2)
    {
        int k = 1;
        e[1] += k;
#pragma omp parallel for reduction(+ : e[2 : 3])
        for (int i = 0; i < N; i++)
            e[2 + i % 3] += k;
        k = 2;
#pragma omp parallel for
        for (int i = 0; i < N; i++) {
#pragma omp atomic
            e[2 + i % 3] += k;
        }
#pragma omp parallel
        {
#pragma omp for reduction(+ : e[3 : 2])
            for (int i = 0; i < N; i++)
                e[3 + i % 2] += k;
#pragma omp single
            e[5] += 10;
        }
    }
    expect(e[1] + e[5], 2 + 20, "a section of the teams, in sequential code");
    expect(e[2] + e[3] + e[4], 2 * (1 + 2 + 2) * N, "a part of it, of the threads");
    expect(e[0] + e[6] + e[7], 0, "around the section");
    return failures != 0;
}
