// Globals of the device: constants, a table, and a counter that is fetched.
#include <stdio.h>

#pragma omp declare target
double factor = 1.5;
static const int weights[3] = { 1, 2, 1 };
int calls;
static int weighted(const int *v, int i)
{
#pragma omp atomic
    calls++;
    return weights[0] * v[i - 1] + weights[1] * v[i] + weights[2] * v[i + 1];
}
#pragma omp end declare target

int main(void)
{
    int v[10];
    double out[10] = { 0 };
    for (int i = 0; i < 10; i++)
        v[i] = i;
#pragma omp target teams distribute parallel for map(to: v) map(tofrom: out)
    for (int i = 1; i < 9; i++)
        out[i] = factor * weighted(v, i);
    factor = 2.0;
#pragma omp target update to(factor)
#pragma omp target map(tofrom: out)
    out[0] = factor;
#pragma omp target update from(calls)
    return out[4] != 24.0 || out[0] != 2.0 || calls != 8;
}
