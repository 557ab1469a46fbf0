// After the swap the pointer names the other buffer: the update fetches the right or the wrong one.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 50, wrong = 0;
    int *cur = calloc(n, sizeof(int)), *nxt = calloc(n, sizeof(int));
#pragma omp target data map(to: cur[0:n], nxt[0:n])
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            nxt[i] = cur[i] + 7; // or-here
        int *t = cur;
        cur = nxt;
        nxt = t;
#pragma omp target update from(nxt[0:n]) //@ bad // or-here
#pragma omp target update from(cur[0:n]) //@ good
        for (int i = 0; i < n; i++)
            wrong |= cur[i] != 7; // expect: mapping
    }
    free(cur);
    free(nxt);
    return wrong;
}
