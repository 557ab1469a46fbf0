/* saxpy: y = a*x + y, the smallest useful target region.
 *
 * What to look at: `x` and `y` are pointers, so the compiler cannot know how much they point to. The map clauses
 * say it with array sections, start:length. `a` and `n` are scalars and need no clause: they are firstprivate, every
 * device thread gets a copy of the value.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void saxpy(int n, float a, const float *x, float *y)
{
    /* x is only read on the device, so it is copied there and not back (to). y is read and written (tofrom). */
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

int main(void)
{
    const int n = 1 << 20;
    const float a = 2.0f;
    float *x = malloc(n * sizeof *x);
    float *y = malloc(n * sizeof *y);
    if (!x || !y) {
        fprintf(stderr, "saxpy: out of memory\n");
        return 2;
    }
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = 1.0f;
    }

    saxpy(n, a, x, y);

    /* The host computes the same from scratch. All values are small integers, so float holds them exactly. */
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (fabsf(y[i] - (a * (float)(i % 1000) + 1.0f)) > 0.0f)
            wrong++;
    printf("saxpy: n = %d, y[7] = %g, %s\n", n, y[7], wrong ? "WRONG" : "correct");
    free(x);
    free(y);
    return wrong != 0;
}
