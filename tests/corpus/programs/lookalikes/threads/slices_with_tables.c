// Each iteration counts in a table of its own, over a slice whose bounds depend on the iteration.
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 16, SLICES = 4, N = 1000 };

int main(void)
{
    int key[N], start[SLICES + 1], all[KEYS] = {0}, slice;
    int **table = malloc(SLICES * sizeof *table);
    for (int i = 0; i < N; i++)
        key[i] = i * 7 % KEYS;
    for (int s = 0; s <= SLICES; s++)
        start[s] = s * N / SLICES;
    for (int s = 0; s < SLICES; s++)
        table[s] = calloc(KEYS, sizeof **table);
#pragma omp parallel for schedule(static)
    for (slice = 0; slice < SLICES; slice++) {
        int *own = table[slice];
        for (int i = start[slice]; i < start[slice + 1]; i++)
            own[key[i]]++;
    }
    for (int s = 0; s < SLICES; s++) {
        for (int k = 0; k < KEYS; k++)
            all[k] += table[s][k];
        free(table[s]);
    }
    free(table);
    printf("%d %d\n", all[0], all[15]);
    return all[0] + all[15] != 63 + 62;
}
