/* An array in parts with two rows of each neighbour, exchanged as often as the argument says; a table on all devices. */
#include <omp.h>
#include <ompls_parts.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 37
#define COLUMNS 1500

int main(int argc, char **argv)
{
    static int a[ROWS][COLUMNS], table[3000];
    int times = argc > 1 ? atoi(argv[1]) : 1, devices = omp_get_num_devices(), wrong = 0;
    ompls_parts p;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) a[i][j] = i * COLUMNS + j;
    for (int k = 0; k < 3000; k++) table[k] = k;
    wrong += ompls_split(&p, a, sizeof a[0], ROWS, ROWS, 2) == 0;
    wrong += ompls_split(&p, a, sizeof a[0], ROWS, 2, devices + 1) == 0 && devices > 0;
    wrong += ompls_split(&p, a, sizeof a[0], ROWS, 2, 0) != 0;
    for (int d = 0; d < p.devices; d++) {
        #pragma omp target enter data device(d) map(alloc: table)
    }
    wrong += ompls_spread(table, sizeof table, p.devices) != 0;
    int owner = p.devices - 1;
    #pragma omp target device(owner) map(alloc: table)
    table[5] += 1000;
    wrong += ompls_pass_on(table, sizeof table, owner, p.devices) != 0;
    for (int t = 0; t < times; t++) {
        for (int d = 0; d < p.devices; d++) { /* what is not its own is spoiled: the exchange has to bring it */
            int there = ompls_first_there(&p, d), rows = ompls_rows_there(&p, d), first = ompls_first(&p, d), last = ompls_first(&p, d + 1);
            #pragma omp target device(d) map(a[there:rows])
            for (int i = there; i < there + rows; i++)
                for (int j = 0; j < COLUMNS; j++) a[i][j] = i < first || i >= last ? -1 : a[i][j] + table[2999] - 2998;
        }
        wrong += ompls_exchange(&p) != 0;
    }
    for (int d = 0; d < p.devices; d++) {
        int there = ompls_first_there(&p, d), rows = ompls_rows_there(&p, d), bad = 0;
        #pragma omp target device(d) map(a[there:rows]) map(tofrom: bad)
        bad += table[5] != 1005;
        #pragma omp target device(d) map(a[there:rows]) map(tofrom: bad)
        for (int i = there; i < there + rows; i++)
            for (int j = 0; j < COLUMNS; j++) bad += a[i][j] != i * COLUMNS + j + times;
        wrong += bad;
    }
    wrong += ompls_collect(&p) != 0;
    for (int d = 0; d < p.devices; d++) {
        #pragma omp target exit data device(d) map(release: table)
    }
    wrong += ompls_release(&p) != 0 || (devices > 0 && ompls_release(&p) == 0);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) wrong += a[i][j] != i * COLUMNS + j + times;
    printf("%d parts, %d wrong\n", p.devices, wrong);
    return wrong != 0;
}
