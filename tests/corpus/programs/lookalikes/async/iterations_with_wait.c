// A loop of asynchronous steps; each iteration waits before the host looks.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 20, *v = calloc(n, sizeof(int)), total = 0;
#pragma omp target enter data map(to: v[0:n])
    for (int t = 0; t < 5; t++) {
#pragma omp target nowait depend(inout: v[0:n])
        for (int i = 0; i < n; i++)
            v[i] += 1;
#pragma omp target update from(v[0:n]) nowait depend(inout: v[0:n])
#pragma omp taskwait
        total += v[n - 1];
    }
#pragma omp target exit data map(delete: v[0:n])
    free(v);
    return total != 15;
}
