// A state machine: each phase does one thing, the order is in the data.
#include <stdio.h>
#include <stdlib.h>

enum { UPLOAD, COMPUTE, FETCH, LOOK, DROP, STOP };

int main(void)
{
    int n = 10, *v = malloc(n * sizeof(int)), seen = 0;
    const int plan[] = { UPLOAD, COMPUTE, COMPUTE, FETCH, LOOK, COMPUTE, FETCH, LOOK, DROP, STOP };
    for (int i = 0; i < n; i++)
        v[i] = 1;
    for (int k = 0; plan[k] != STOP; k++)
        switch (plan[k]) {
        case UPLOAD: {
#pragma omp target enter data map(to: v[0:n])
            break;
        }
        case COMPUTE: {
#pragma omp target
            for (int i = 0; i < n; i++)
                v[i] *= 2;
            break;
        }
        case FETCH: {
#pragma omp target update from(v[0:n])
            break;
        }
        case LOOK:
            seen += v[n - 1];
            break;
        case DROP: {
#pragma omp target exit data map(delete: v[0:n])
            break;
        }
        }
    free(v);
    return seen != 12;
}
