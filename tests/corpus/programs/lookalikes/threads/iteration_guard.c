// Only one iteration of the loop writes.
#include <stdio.h>
#define N 100

int main(void)
{
    int v[N], where = -1, seen = 0;
    for (int i = 0; i < N; i++)
        v[i] = 3 * i;
#pragma omp target teams distribute parallel for map(to: v) map(tofrom: where, seen)
    for (int i = 0; i < N; i++) {
        if (i == 77)
            where = v[i];
        if (i == N - 1)
            seen = 1;
    }
    return where != 231 || !seen;
}
