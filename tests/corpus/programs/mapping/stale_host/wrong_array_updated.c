// Double buffering: the update names the buffer that was read, not the one that was written.
#include <stdio.h>
#include <stdlib.h>

static void step(const int *in, int *out, int n)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        out[i] = in[i] + 1; // or-here
}

int main(void)
{
    int n = 64;
    int *front = calloc(n, sizeof(int)), *back = calloc(n, sizeof(int));
#pragma omp target enter data map(to: front[0:n], back[0:n])
    step(front, back, n);
#pragma omp target update from(front[0:n]) //@ bad // or-here
#pragma omp target update from(back[0:n]) //@ good
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += back[i] != 1; // expect: mapping
#pragma omp target exit data map(delete: front[0:n], back[0:n])
    free(front);
    free(back);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
