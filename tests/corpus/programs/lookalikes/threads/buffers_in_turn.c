// The buffer of the step before is the other one each time, whatever the pointers are called.
#include <stdlib.h>
#define N 100

int main(void)
{
    double *buffers[2] = {calloc(N, sizeof(double)), calloc(N, sizeof(double))};
    double *old = buffers[0], *now = old;
    old[N / 2] = 1.0;
    for (int t = 0; t < 10; t++) {
        now = buffers[(t + 1) % 2];
#pragma omp parallel for
        for (int i = 1; i < N - 1; i++)
            now[i] = 0.5 * (old[i - 1] + old[i + 1]);
        old = now;
    }
    double middle = old[N / 2];
    free(buffers[0]);
    free(buffers[1]);
    return middle <= 0.0;
}
