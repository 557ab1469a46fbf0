/* parts: a structure whose pointer leads to mapped memory, and a global one; both are written on the other side. */
#include <stdio.h>
#include <stdlib.h>

#define N 100

struct rows {
    int count;
    double *first;
    double sum;
};

#pragma omp declare target
int calls = 0;
#pragma omp end declare target

int main(void)
{
    struct rows rows = {N, malloc(N * sizeof(double)), 0.0};
    double *second = malloc(2 * N * sizeof(double));
    if (!rows.first || !second) return 2;
    for (int i = 0; i < N; i++) {
        rows.first[i] = i;
        second[i] = second[N + i] = 2 * i;
    }

    #pragma omp target map(tofrom: rows) map(tofrom: rows.first[0:N]) map(to: second[N:N])
    {
        for (int i = 0; i < rows.count; i++) {
            rows.sum += rows.first[i];
            rows.first[i] += second[N + i];
            calls++;
        }
    }
    #pragma omp target update from(calls)

    int wrong = rows.sum != N * (N - 1) / 2 || calls != N;
    for (int i = 0; i < N; i++)
        wrong += rows.first[i] != 3 * i;
    printf("parts: the sum is %g, %s\n", rows.sum, wrong ? "WRONG" : "correct");
    free(rows.first);
    free(second);
    return wrong != 0;
}
