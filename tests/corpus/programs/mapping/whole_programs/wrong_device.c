// Data is placed on device 0 and must be used there.
#include <omp.h>
#include <stdlib.h>

int main(void)
{
    int n = 100, bad = 0;
    long *v = malloc(n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = i;
    if (omp_get_num_devices() < 2) {
        free(v);
        return 0;
    }
#pragma omp target enter data map(to: v[0:n]) device(1)
#pragma omp target teams distribute parallel for device(1) //@ good bad2
#pragma omp target teams distribute parallel for device(0) //@ bad // expect: mapping [bad]
    for (int i = 0; i < n; i++)
        v[i] += 7; // or-here [bad]
#pragma omp target update from(v[0:n]) device(1) //@ good bad
#pragma omp target update from(v[0:n]) device(0) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < n; i++)
        bad |= v[i] != i + 7; // or-here [bad2]
#pragma omp target exit data map(delete: v[0:n]) device(1)
    free(v);
    return bad;
}
