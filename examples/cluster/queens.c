/* queens: in how many ways n queens stand on a board; the first two rows are the host's, the rest a device's.
 *
 * What to look at: what a piece needs are two small numbers, and what comes back is one. Tasks inside the region share the
 * search among the cores of a node; `n`, the board's state and the counts are ordinary variables there.
 *     ompls run --device mpinode:4 examples/cluster/queens.c -- 10
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 12

#pragma omp declare target
/* Rows below: bits of columns that are taken, and of the two diagonals. */
static long place(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    long found = 0;
    unsigned open = all & ~(columns | left | right);
    if (columns == all)
        return 1;
    while (open) {
        unsigned queen = open & -open;
        open ^= queen;
        found += place(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return found;
}

static long place_with_tasks(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    long found = 0;
    unsigned open = all & ~(columns | left | right);
    while (open) {
        unsigned queen = open & -open;
        open ^= queen;
        #pragma omp task shared(found)
        {
            long mine = place(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
            #pragma omp atomic
            found += mine;
        }
    }
    #pragma omp taskwait
    return found;
}
#pragma omp end declare target

int main(int argc, char **argv)
{
    static const long known[MOST + 1] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
    int n = argc > 1 ? atoi(argv[1]) : 8, devices = omp_get_num_devices(), workers = devices > 0 ? devices : 1;
    if (n < 3 || n > MOST) {
        fprintf(stderr, "usage: queens N, from 3 to %d\n", MOST);
        return 2;
    }
    unsigned all = (1u << n) - 1;
    long sum = 0;
    #pragma omp parallel for num_threads(workers) schedule(dynamic, 1) collapse(2) reduction(+: sum)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            unsigned first = 1u << i, second = 1u << j, left = first << 1, right = first >> 1;
            long found = 0;
            if (second & (first | left | right))
                continue;
            #pragma omp target device(omp_get_thread_num()) map(from: found)
            #pragma omp parallel
            #pragma omp single
            found = place_with_tasks(all, first | second, (left | second) << 1, (right | second) >> 1);
            sum += found;
        }
    printf("queens: %ld ways for %d, %s\n", sum, n, sum == known[n] ? "correct" : "wrong");
    return sum != known[n];
}
