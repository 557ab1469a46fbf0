/* sum: a reduction, an atomic update and data that stay between two regions. */
#include <stdio.h>

#define N 500

#pragma omp declare target
int calls = 0;

static int square(int x)
{
    #pragma omp atomic
    calls++;
    return x * x;
}
#pragma omp end declare target

int main(void)
{
    int values[N], total = 0;
    for (int i = 0; i < N; i++)
        values[i] = i;

    #pragma omp target data map(to: values)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < N; i++)
            values[i] = square(values[i]);
        #pragma omp target teams distribute parallel for reduction(+: total)
        for (int i = 0; i < N; i++)
            total += values[i] % 100;
    }
    #pragma omp target update from(calls)

    int expected = 0;
    for (int i = 0; i < N; i++)
        expected += i * i % 100;
    int wrong = total != expected || calls != N;
    printf("sum: %d in %d calls, %s\n", total, calls, wrong ? "WRONG" : "correct");
    return wrong;
}
