// A search that stops early: the flag is read and written atomically.
#include <stdio.h>
#define N 200

int main(void)
{
    int v[N], at = -1, done = 0;
    for (int i = 0; i < N; i++)
        v[i] = i == 150;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++) {
        int stop;
#pragma omp atomic read
        stop = done;
        if (stop)
            continue;
        if (v[i]) {
#pragma omp critical
            at = i;
#pragma omp atomic write
            done = 1;
        }
    }
    return at != 150;
}
