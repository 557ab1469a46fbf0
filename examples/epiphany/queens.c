/* queens: in how many ways 12 queens stand on a board. The first two rows make tasks (144 at most), each searches the rest.
 *
 * What to look at: a task's data go through the external memory, its counter too; who has nothing to do steals from the queue
 * of another core. Below the cut-off everything is on a core's own stack.
 *     ompls run --device epiphany examples/epiphany/queens.c
 */
#include <stdio.h>
#include <stdlib.h>

#define MOST 12
#define CUT_OFF 2

#pragma omp declare target
/* Rows below: bits of columns that are taken, and of the two diagonals. */
static int place(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    int found = 0;
    if (columns == all)
        return 1;
    for (unsigned open = all & ~(columns | left | right); open != 0; open &= open - 1) {
        const unsigned queen = open & -open;
        found += place(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return found;
}

static void place_with_tasks(unsigned all, unsigned columns, unsigned left, unsigned right, int row, int *found)
{
    for (unsigned open = all & ~(columns | left | right); open != 0; open &= open - 1) {
        const unsigned queen = open & -open;
        #pragma omp task firstprivate(all, columns, left, right, row, found, queen)
        if (row + 1 < CUT_OFF) {
            place_with_tasks(all, columns | queen, (left | queen) << 1, (right | queen) >> 1, row + 1, found);
        } else {
            const int mine = place(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
            #pragma omp atomic
            *found += mine;
        }
    }
}
#pragma omp end declare target

int main(int argc, char **argv)
{
    static const int known[MOST + 1] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
    const int n = argc > 1 ? atoi(argv[1]) : MOST;
    int found = 0;
    if (n < 3 || n > MOST) {
        fprintf(stderr, "usage: queens N, from 3 to %d\n", MOST);
        return 2;
    }
    #pragma omp target map(tofrom: found) firstprivate(n)
    #pragma omp parallel
    #pragma omp single
    place_with_tasks((1u << n) - 1, 0, 0, 0, 0, &found);
    printf("queens: %d ways for %d queens, %s\n", found, n, found == known[n] ? "correct" : "WRONG");
    return found != known[n];
}
