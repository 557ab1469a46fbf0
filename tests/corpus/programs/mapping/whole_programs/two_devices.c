// Halves of an array on two devices (one device twice when there is only one).
#include <omp.h>
#include <stdlib.h>

int main(void)
{
    int devices = omp_get_num_devices(), second = devices > 1 ? 1 : 0;
    int n = 1000, half = n / 2;
    int *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma omp target enter data map(to: a[0:half]) device(0)
#pragma omp target teams distribute parallel for device(0)
    for (int i = 0; i < half; i++)
        a[i] *= 3;
#pragma omp target exit data map(from: a[0:half]) device(0) //@ good bad2
#pragma omp target exit data map(release: a[0:half]) device(0) //@ bad // or-here [bad]
#pragma omp target enter data map(to: a[half:half]) device(second) //@ good bad
#pragma omp target enter data map(to: a[half:n]) device(second) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for device(second) map(tofrom: a[half:half])
    for (int i = half; i < n; i++)
        a[i] *= 5;
#pragma omp target exit data map(from: a[half:half]) device(second) //@ good bad
#pragma omp target exit data map(from: a[half:n]) device(second) //@ bad2 // or-here [bad2]
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad |= a[i] != i * (i < half ? 3 : 5); // expect: mapping [bad]
    free(a);
    return bad;
}
