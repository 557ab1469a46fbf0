// Memory of the device associated with a host array by hand.
#include <omp.h>
#include <stdlib.h>

int main(void)
{
    int n = 200, dev = omp_get_default_device(), host = omp_get_initial_device();
    if (omp_get_num_devices() == 0)
        return 0;
    int *h = malloc(n * sizeof(int));
    int *d = omp_target_alloc(n * sizeof(int), dev);
    for (int i = 0; i < n; i++)
        h[i] = i;
    omp_target_associate_ptr(h, d, n * sizeof(int), 0, dev); //@ good bad bad3 // or-here [bad]
    omp_target_associate_ptr(h, d, n, 0, dev); //@ bad2 // or-here [bad2]
#pragma omp target update to(h[0:n]) //@ good bad2 bad3 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for map(tofrom: h[0:n]) // expect: mapping [bad bad2]
    for (int i = 0; i < n; i++)
        h[i] += 10; // or-here [bad]
#pragma omp target update from(h[0:n]) //@ good bad bad2
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad |= h[i] != i + 10; // expect: mapping [bad3]
    omp_target_disassociate_ptr(h, dev);
    omp_target_free(d, dev);
    free(h);
    return bad;
}
