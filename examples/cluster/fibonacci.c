/* fibonacci: tasks on the host down to a cut, tasks on the devices below it.
 *
 * What to look at: the region holds a whole OpenMP program, with a team and tasks of its own. The host cuts the tree
 * until there are several pieces for each device; the pieces differ in size, so a device that is done takes the next.
 *     ompls run --device mpinode:4 examples/cluster/fibonacci.c -- 30
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 64 /* pieces */
#define SMALL 12

#pragma omp declare target
static long serial(int n)
{
    return n < 2 ? n : serial(n - 1) + serial(n - 2);
}

static long with_tasks(int n)
{
    long first, second;
    if (n < SMALL)
        return serial(n);
    #pragma omp task shared(first)
    first = with_tasks(n - 1);
    second = with_tasks(n - 2);
    #pragma omp taskwait
    return first + second;
}
#pragma omp end declare target

/* The arguments whose numbers add up to that of n: at least `wanted` of them. */
static int cut(int n, int wanted, int *pieces)
{
    int count = 1;
    pieces[0] = n;
    while (count < wanted && count + 1 < MOST) {
        int largest = 0;
        for (int i = 1; i < count; i++)
            if (pieces[i] > pieces[largest])
                largest = i;
        if (pieces[largest] < SMALL)
            break;
        pieces[count++] = pieces[largest] - 2;
        pieces[largest]--;
    }
    return count;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 24, pieces[MOST];
    int devices = omp_get_num_devices(), workers = devices > 0 ? devices : 1, count = cut(n, 4 * workers, pieces);
    long sum = 0, a = 0, b = 1;
    #pragma omp parallel for num_threads(workers) schedule(dynamic, 1) reduction(+: sum)
    for (int i = 0; i < count; i++) {
        int piece = pieces[i];
        long found = 0;
        #pragma omp target device(omp_get_thread_num()) map(from: found)
        #pragma omp parallel
        #pragma omp single
        found = with_tasks(piece);
        sum += found;
    }
    for (int i = 0; i < n; i++) {
        long next = a + b;
        a = b;
        b = next;
    }
    printf("fibonacci: %d pieces, f(%d) = %ld, %s\n", count, n, sum, sum == a ? "correct" : "wrong");
    return sum != a;
}
