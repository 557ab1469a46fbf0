/* Counters that are declared elsewhere: mapped, global, private of the region; those of simd loops keep their value. */
#include "expect.h"

static int g = 4;
#pragma omp declare target(g)

static void mapped(void)
{
    int i = 77, j = 5, n = 10, a[10] = {0};
#pragma omp target teams distribute map(tofrom : i, a)
    for (i = 0; i < n; i++) {
#pragma omp parallel num_threads(4)
#pragma omp single
        a[i] += i;
    }
#pragma omp target teams map(tofrom : i, a)
#pragma omp distribute
    for (i = 0; i < n; i++)
        a[i] += i;
#pragma omp target map(tofrom : i, a)
    {
#pragma omp parallel for
        for (i = 0; i < n; i++)
            a[i] += i;
#pragma omp for
        for (i = 0; i < n; i++) {
#pragma omp parallel num_threads(4)
#pragma omp single
            a[i] += i;
        }
    }
    expect(i, 77, "a counter is private");
#pragma omp target teams distribute parallel for simd collapse(2) map(tofrom : i, j, a)
    for (i = 0; i < 5; i++)
        for (j = 0; j < 2; j++)
            a[2 * i + j]++;
    expect(i, 5, "the outer counter of a simd loop");
    expect(j, 2, "the inner counter of a simd loop");
    for (int k = 0; k < n; k++)
        expect(a[k], 4 * k + 1, "an element");
}

static void global(void)
{
    int a[10] = {0};
#pragma omp target teams distribute parallel for
    for (g = 0; g < 10; g++)
        a[g] += g;
#pragma omp target
    {
#pragma omp parallel for
        for (g = 0; g < 10; g++)
            a[g] += g;
        a[0] += g;
#pragma omp simd
        for (g = 0; g < 10; g++)
            a[g] += g;
        a[1] += g;
#pragma omp parallel for simd
        for (g = 0; g < 9; g++)
            a[g] += g;
        a[2] += g;
    }
#pragma omp target update from(g)
    expect(a[0], 4, "a global counter is private");
    expect(a[1], 14, "a global counter of simd");
    expect(a[2], 17, "a global counter of parallel for simd");
    expect(g, 9, "the device's own");
}

static void kept(void)
{
    int a[8] = {0}, k = -1, q = 3;
#pragma omp target map(tofrom : a)
    {
        int i = -1, j = -1;
#pragma omp parallel for simd
        for (j = 0; j < 7; j++)
            if (j == 6)
                a[7]++;
        a[0] = j;
        j = -1;
#pragma omp parallel
#pragma omp for simd
        for (j = 0; j < 6; j++)
            if (j == 5)
                a[7]++;
        a[1] = j;
        j = -1;
#pragma omp for simd
        for (j = 0; j < 3; j++)
            a[7]++;
        a[2] = j;
        j = -1;
#pragma omp parallel for simd collapse(2)
        for (j = 0; j < 2; j++)
            for (i = 0; i < 3; i++)
                if (i == 0 && j == 0)
                    a[5] = 1;
        a[3] = j;
        a[4] = i;
#pragma omp parallel for simd
        for (k = 0; k < 8; k++)
            if (k == 0)
                a[6] = 1;
        for (j = 0; j < 3; j++) {
#pragma omp parallel for lastprivate(q, i)
            for (i = 0; i < 8; i++)
                q = i + j;
            a[5] += q + i;
        }
    }
    expect(a[0], 7, "parallel for simd");
    expect(a[1], 6, "for simd in a parallel region");
    expect(a[2], 3, "for simd in sequential code");
    expect(a[3] * 10 + a[4], 23, "collapse");
    expect(a[5], 1 + 7 + 8 + 9 + 24, "lastprivate");
    expect(a[7], 5, "iterations");
#pragma omp target teams map(tofrom : a) num_teams(1)
    {
        int j = -1;
#pragma omp distribute simd
        for (j = 0; j < 2; j++)
            a[j] = 0;
        a[2] = j;
#pragma omp distribute parallel for simd
        for (j = 0; j < 3; j++)
            a[j + 5] = 0;
        a[3] = j;
    }
    expect(a[2], 2, "distribute simd");
    expect(a[3], 3, "distribute parallel for simd");
}

static void last_of_simd(void)
{
    int combined = -1, nested = -1, in_parallel = -1, sum = 0, a[20];
#pragma omp target simd lastprivate(combined) map(tofrom : combined) map(from : a)
    for (int i = 0; i < 20; i++) {
        combined = i * 2;
        a[i] = combined;
    }
    expect(combined, 38, "lastprivate of target simd");
    expect(a[3], 6, "its copy");
#pragma omp target map(tofrom : nested)
#pragma omp simd lastprivate(nested)
    for (int i = 0; i < 20; i++)
        nested = i * 3;
    expect(nested, 57, "lastprivate of simd in target");
#pragma omp target parallel num_threads(1) map(tofrom : in_parallel, sum)
    {
#pragma omp simd lastprivate(in_parallel) reduction(+ : sum)
        for (int i = 0; i < 20; i++) {
            in_parallel = i * 4;
            sum += i;
        }
    }
    expect(in_parallel, 76, "lastprivate of simd in parallel");
    expect(sum, 190, "a reduction of simd");
}

int main(void)
{
    last_of_simd();
    mapped();
    global();
    kept();
    return failures != 0;
}
