/* What is mapped with `ompx_local` comes near to a kernel, and what it has written there goes back, byte for byte. */
#include <stdint.h>
#include <stdio.h>

#define N 300

struct pair {
    int16_t first;
    char second;
};

static char letters[N];
static struct pair pairs[N];
static float matrix[8][10];

#pragma omp declare target
static float sum(const float (*rows)[10])
{
    float all = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 10; j++)
            all += rows[i][j];
    return all;
}
#pragma omp end declare target

int main(void)
{
    int n = 101, wrong = 0;
    float x[N], y[N], total = 0, rows = 0;
    float *part = y, only = 3;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i, y[i] = -1, letters[i] = (char)(i % 50);
        pairs[i] = (struct pair){(int16_t)i, 'a'};
        matrix[i % 8][i % 10] = (float)(i % 7);
    }
    /* sections that begin and end anywhere; one core, then a team */
    #pragma omp target map(ompx_local, to: x) map(ompx_local, tofrom: part[3:n]) map(ompx_local: letters[7:n], only)
    {
        for (int i = 0; i < n; i++)
            part[3 + i] = x[i] * only;
        letters[8] = 'z';
        letters[6 + n] = '!';
        only = 4;
    }
    #pragma omp target map(ompx_local, tofrom: pairs[1:n]) map(tofrom: total) map(ompx_local, to: x, matrix) map(from: rows)
    {
        #pragma omp parallel for reduction(+: total)
        for (int i = 1; i <= n; i++) {
            total += x[i];
            pairs[i].second = 'b';
        }
        rows = sum(matrix);
    }
    /* it is on the device from before: what a kernel leaves alone stays, what it writes is there for the next one */
    #pragma omp target data map(tofrom: y, x)
    {
        #pragma omp target map(ompx_local, to: y)
        y[200] = 5;
        #pragma omp target map(ompx_local, from: x[10:20])
        x[11] = y[200];
    }
    #pragma omp target teams distribute num_teams(4) map(ompx_local: y[0:N])
    for (int i = 250; i < 260; i++)
        y[i] += (float)i;
    for (int i = 0; i < N; i++) {
        const float expected = i >= 3 && i < 104 ? (float)(i - 3) * 3 : i == 200 ? 5 : i >= 250 && i < 260 ? (float)i - 1 : -1;
        wrong += y[i] != expected;
        wrong += x[i] != (float)(i == 11 ? 5 : i);
        wrong += letters[i] != (char)(i == 8 ? 'z' : i == 107 ? '!' : i % 50);
        wrong += pairs[i].first != i || pairs[i].second != (i >= 1 && i <= n ? 'b' : 'a');
    }
    printf("%d %g %g %g\n", wrong, total, rows, only);
    return 0;
}
