/* relay: a field that goes from device to device, each of which does its part of a step with a table that all of them have.
 *
 * What to look at: it is plain OpenMP, as if the host sent everything, in a loop over devices and in regions that `depend`
 * chains. But nodes that have data already give them to the next one: the table leaves the host once, however many nodes
 * there are, and the field once, although the host gets it back from each.
 *     OMPLS_REMOTE_COUNT=/dev/stderr ompls run --device mpinode:4 examples/cluster/relay.c
 *     OMPLS_REMOTE_COUNT=/dev/stderr OMPLS_REMOTE_REUSE=no ompls run --device mpinode:4 examples/cluster/relay.c
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define N 400000
#define STEPS 2

#pragma omp declare target
static void part(unsigned *field, const unsigned *table, int n, unsigned k)
{
    for (int i = 0; i < n; i++)
        field[i] += table[field[i] % n] ^ (k + 1);
}
#pragma omp end declare target

int main(void)
{
    static unsigned table[N], field[N], here[N];
    int devices = omp_get_num_devices(), parts = devices > 0 ? devices : 1;
    for (int i = 0; i < N; i++) {
        table[i] = i * 2654435761u;
        field[i] = here[i] = i;
    }

    for (int d = 0; d < parts; d++) {
        #pragma omp target enter data device(d) map(to: table)
    }
    for (int s = 0; s < STEPS; s++) {
        for (int d = 0; d < parts; d++) {
            #pragma omp target device(d) map(to: table) map(tofrom: field) depend(inout: field) nowait
            part(field, table, N, s * parts + d);
        }
    }
    #pragma omp taskwait
    for (int d = 0; d < parts; d++) {
        #pragma omp target exit data device(d) map(delete: table)
    }

    for (int k = 0; k < STEPS * parts; k++)
        part(here, table, N, k);
    int same = memcmp(field, here, sizeof field) == 0;
    printf("relay: %d parts, field[1] = %u, %s\n", STEPS * parts, field[1], same ? "correct" : "wrong");
    return !same;
}
