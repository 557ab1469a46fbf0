// A solver that gives up early and has to clean up the device.
#include <stdlib.h>

static int process(float *x, int n, float limit)
{
#pragma omp target enter data map(to: x[0:n])
    float top = 0;
#pragma omp target teams distribute parallel for map(tofrom: top) reduction(max: top)
    for (int i = 0; i < n; i++)
        if (x[i] > top)
            top = x[i];
    if (top > limit) {
#pragma omp target exit data map(release: x[0:n]) //@ good bad2 bad3
        return -1; // expect: mapping [bad]
    }
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        x[i] /= top;
#pragma omp target exit data map(from: x[0:n]) //@ good bad bad3
#pragma omp target exit data map(release: x[0:n]) //@ bad2 // or-here [bad2]
    return 0;
}

int main(void)
{
    int n = 64;
    float *x = malloc(n * sizeof(float));
    for (int i = 0; i < n; i++)
        x[i] = (float)(i + 1);
    int failed = process(x, n, 10.0f) != -1;
    failed |= process(x, n, 100.0f) != 0;
    for (int i = 0; i < n; i++)
        failed |= x[i] != (i + 1) / 64.0f; // expect: mapping [bad2]
#pragma omp target exit data map(from: x[0:n]) //@ bad3 // expect: mapping [bad3]
    free(x); // or-here [bad]
    return failed;
}
