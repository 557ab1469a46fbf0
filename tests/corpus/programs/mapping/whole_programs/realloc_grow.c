// A growing array: the mapping has to follow it when realloc moves it.
#include <stdlib.h>

int main(void)
{
    int cap = 16, bad = 0;
    int *v = malloc(cap * sizeof *v);
    for (int i = 0; i < cap; i++)
        v[i] = i;
#pragma omp target enter data map(to: v[0:cap])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < cap; i++)
        v[i]++;
#pragma omp target exit data map(from: v[0:cap]) //@ good bad2
    v = realloc(v, 2 * cap * sizeof *v); // expect: mapping [bad]
    for (int i = cap; i < 2 * cap; i++)
        v[i] = i + 1;
#pragma omp target enter data map(to: v[0:2*cap]) //@ good bad
#pragma omp target enter data map(to: v[0:cap]) //@ bad2 // or-here [bad2]
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 2 * cap; i++)
        v[i]++; // expect: mapping [bad2]
#pragma omp target exit data map(from: v[0:2*cap]) // or-here [bad2]
    for (int i = 0; i < 2 * cap; i++)
        bad |= v[i] != i + 2;
    free(v);
    return bad;
}
