// The same size, written in another way at the allocation, the section and the loop.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        abort();
    return p;
}

int main(void)
{
    int rows = 6, cols = 7, count = rows * cols, sum = 0;
    size_t bytes = sizeof(int) * rows * cols;
    int *a = xmalloc(bytes), *b = xmalloc(count * sizeof *b), *c = calloc(rows, cols * sizeof(int));
    int *d = aligned_alloc(64, 64 * ((bytes + 63) / 64)), *end = a + count;
    char *raw = xmalloc(bytes);
    int *e = (int *)raw;
    memset(raw, 0, bytes);
    for (int *p = a; p < end; p++)
        *p = 1;
    memcpy(b, a, bytes);
    memcpy(d, a, bytes);
#pragma omp target map(to: a[0:count], b[0:cols*rows], c[0:rows*cols], d[0:count], e[:bytes/sizeof(int)]) map(tofrom: sum)
    for (int r = 0; r < rows; r++)
        for (int k = r * cols; k < (r + 1) * cols; k++)
            sum += a[k] + b[k] + c[k] + d[k] + e[k];
    free(a);
    free(b);
    free(c);
    free(d);
    free(raw);
    return sum != 126;
}
