/* dot_devices: one dot product on two devices, each with data environments of its own.
 *
 * What to look at: every device has its own present table. The outer `target data` constructs put the first half of
 * the vectors on device 0 and the second half on device 1; they nest in the source, but each speaks of its own
 * device. The inner ones add the variable of the result for the one region that needs it. Maps at the regions name
 * what is present already: that costs a look-up and a reference count, but no copy.
 *
 * When there is only one device, number 1 is the host itself, and nothing is copied for it. Run it on two with
 *     ompls run --device cudasim:2 examples/dot_devices.c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 20000
#define HALF (N / 2)

int main(void)
{
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    double parts[2] = {0.0, 0.0};
    if (!x || !y) {
        fprintf(stderr, "dot_devices: out of memory\n");
        return 2;
    }
    for (int i = 0; i < N; i++) {
        x[i] = i % 100;
        y[i] = 1 + i % 3;
    }

    #pragma omp target data device(0) map(to: x[0:HALF], y[0:HALF])
    #pragma omp target data device(1) map(to: x[HALF:HALF], y[HALF:HALF])
    {
        double first = 0.0, second = 0.0;

        /* Nested environments on the same device: x and y are present, only the scalar is new. */
        #pragma omp target data device(0) map(tofrom: first)
        {
            #pragma omp target teams distribute parallel for device(0) reduction(+: first) \
                map(to: x[0:HALF], y[0:HALF]) map(tofrom: first)
            for (int i = 0; i < HALF; i++)
                first += x[i] * y[i];
        }

        #pragma omp target data device(1) map(tofrom: second)
        {
            #pragma omp target teams distribute parallel for device(1) reduction(+: second) \
                map(to: x[HALF:HALF], y[HALF:HALF]) map(tofrom: second)
            for (int i = HALF; i < N; i++)
                second += x[i] * y[i];
        }
        parts[0] = first;
        parts[1] = second;
    }

    double expected = 0.0;
    for (int i = 0; i < N; i++)
        expected += x[i] * y[i];
    int wrong = fabs(parts[0] + parts[1] - expected) > 1e-6;
    printf("dot_devices: %.0f + %.0f = %.0f, %s\n", parts[0], parts[1], parts[0] + parts[1],
           wrong ? "WRONG" : "correct");
    free(x);
    free(y);
    return wrong;
}
