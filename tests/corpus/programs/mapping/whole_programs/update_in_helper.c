// Uploading and downloading helpers that take a direction.
#include <stdlib.h>
enum way { UP, DOWN };

static void sync_array(double *a, int n, enum way way)
{
    if (way == UP) {
#pragma omp target update to(a[0:n]) // or-here [bad2]
    } else {
#pragma omp target update from(a[0:n])
    }
}

static void twice(double *a, int n)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        a[i] *= 2; // or-here [bad bad3]
}

int main(void)
{
    int n = 25, bad = 0;
    double *a = malloc(n * sizeof *a);
#pragma omp target enter data map(alloc: a[0:n]) // or-here [bad bad3]
    for (int i = 0; i < n; i++)
        a[i] = i;
    sync_array(a, n, UP); //@ good bad2
    sync_array(a, n, DOWN); //@ bad // or-here [bad]
    twice(a, n); // expect: mapping [bad bad3]
    sync_array(a, n, DOWN); //@ good bad bad3
    sync_array(a, n, UP); //@ bad2 // or-here [bad2]
    for (int i = 0; i < n; i++)
        bad |= a[i] != 2.0 * i; // expect: mapping [bad2]
#pragma omp target exit data map(delete: a[0:n])
    free(a);
    return bad;
}
