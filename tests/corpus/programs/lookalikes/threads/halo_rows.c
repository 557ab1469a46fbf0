// Rows of a halo are copied outwards; the loop over the columns goes a depth beyond both ends, as rows are wide enough for.
#include <stdlib.h>
#define AT(i, j) ((x_max + 4) * (j - (y_min - 2)) + (i) - (x_min - 2))

static void halo(const int *left, const int *right, const int *bottom, const int *top, const int *deep, double *d)
{
    int x_min = *left;
    int x_max = *right;
    int y_min = *bottom;
    int y_max = *top;
    int depth = *deep;
    int size = (x_max + 4) * (y_max + 4);
#pragma omp target teams distribute map(tofrom: d[0:size])
    for (int j = x_min - depth; j <= x_max + depth; j++)
        for (int k = 1; k <= depth; k++)
            d[AT(j, y_max + k)] = d[AT(j, y_max + 1 - k)];
}

int main(void)
{
    int left = 1, right = 20, bottom = 1, top = 12, depth = 2;
    double *d = malloc(24 * 16 * sizeof *d);
    for (int i = 0; i < 24 * 16; i++)
        d[i] = i;
    halo(&left, &right, &bottom, &top, &depth, d);
    int wrong = d[14 * 24] != 13 * 24 || d[15 * 24] != 12 * 24;
    free(d);
    return wrong;
}
