/* stencil: a rod that is heated at one end, in parts that stay on their devices.
 *
 * What to look at: the parts are put on the devices once and come back once; in between, two numbers travel at each border
 * of a step, from the device that has them to the one that needs them (OpenMP 5.1). Nodes send them to each other, not to
 * the host.
 *     ompls run --device mpinode:3 examples/cluster/stencil.c
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 4000
#define STEPS 60

static void step(const double *now, double *next)
{
    for (int i = 1; i < N - 1; i++)
        next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

/* The element at `where` is needed by `to`, too. */
static void pass(double *where, int to, int from)
{
    omp_target_memcpy(omp_get_mapped_ptr(where, to), omp_get_mapped_ptr(where, from), sizeof *where, 0, 0, to, from);
}

int main(void)
{
    static double u[N], v[N], here[N], other[N];
    int devices = omp_get_num_devices(), parts = devices > 0 ? devices : 1;
    u[0] = v[0] = here[0] = other[0] = 100;

    /* Part p owns the inner elements from begin on; with a neighbour on either side it has two more. */
    #define BEGIN(p) (1 + (N - 2) * (p) / parts)
    for (int p = 0; p < parts; p++) {
        int low = BEGIN(p) - 1, length = BEGIN(p + 1) + 1 - low;
        #pragma omp target enter data device(p) map(to: u[low:length], v[low:length])
    }
    for (int s = 0; s < STEPS; s++) {
        double *now = s % 2 ? v : u, *next = s % 2 ? u : v;
        #pragma omp parallel for num_threads(parts)
        for (int p = 0; p < parts; p++) {
            int begin = BEGIN(p), end = BEGIN(p + 1);
            #pragma omp target device(p) map(to: now[begin - 1:end - begin + 2]) \
                map(next[begin - 1:end - begin + 2])
            #pragma omp parallel for
            for (int i = begin; i < end; i++)
                next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
        }
        for (int p = 1; p < parts; p++) {
            int border = BEGIN(p);
            pass(&next[border - 1], p, p - 1);
            pass(&next[border], p - 1, p);
        }
    }
    for (int p = 0; p < parts; p++) {
        int begin = BEGIN(p), length = BEGIN(p + 1) - begin, low = begin - 1;
        #pragma omp target update device(p) from(u[begin:length])
        #pragma omp target exit data device(p) map(release: u[low:length + 2], v[low:length + 2])
    }

    double worst = 0, sum = 0;
    for (int s = 0; s < STEPS; s++)
        step(s % 2 ? other : here, s % 2 ? here : other);
    for (int i = 0; i < N; i++) {
        sum += u[i];
        worst = fmax(worst, fabs(u[i] - here[i]));
    }
    printf("stencil: %d steps, heat %.6f, %s\n", STEPS, sum, worst > 1e-12 ? "wrong" : "correct");
    return worst > 1e-12;
}
