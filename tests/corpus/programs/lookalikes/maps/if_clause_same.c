// enter, kernel and exit under the same if.
#include <stdio.h>
#include <stdlib.h>

static int run(int n, int offload)
{
    int *v = calloc(n, sizeof(int)), ok;
#pragma omp target enter data map(to: v[0:n]) if(offload)
#pragma omp target teams distribute parallel for if(target: offload)
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp target update from(v[0:n]) if(offload)
    ok = v[n - 1] == n - 1;
#pragma omp target exit data map(release: v[0:n]) if(offload)
    free(v);
    return ok;
}

int main(void)
{
    return !run(10, 0) || !run(20, 1);
}
