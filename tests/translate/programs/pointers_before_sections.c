/* Pointers that no clause lists, to storage of which a part further on is mapped: they find it (OpenMP 5.2 section 5.8.6). */
#include <stdlib.h>

#include "expect.h"

static int sum_of(const int *from, int first, int count)
{
    int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (int i = first; i < first + count; i++)
        sum += from[i];
    return sum;
}

int main(void)
{
    int *a = malloc(64 * sizeof *a), *b = malloc(64 * sizeof *b);
    for (int i = 0; i < 64; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
#pragma omp target enter data map(to : a[16 : 8]) map(to : b[40 : 4])
#pragma omp target
    for (int i = 16; i < 24; i++)
        a[i] += b[40 + i % 4];
    expect(sum_of(a, 17, 4), 17 + 18 + 19 + 20 + 82 + 84 + 86 + 80, "the middle of a section");
    expect(sum_of(a + 10, 6, 1), 16 + 80, "a pointer between the base and the section");
#pragma omp target update from(a[16 : 8])
#pragma omp target exit data map(delete : a[16 : 8], b[40 : 4])
    expect(a[16] + a[23], 16 + 80 + 23 + 86, "what comes back");
    free(a);
    free(b);
    return failures != 0;
}
