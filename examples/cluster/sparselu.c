/* sparselu: a matrix of blocks, most of them empty, as a lower times an upper one.
 *
 * What to look at: block rows are dealt out to the devices and stay there. A step needs one row of them everywhere: its
 * device passes it on to the others, not to the host (ompls_parts.h). Blocks that fill up are known before.
 *     ompls run --device mpinode:3 examples/cluster/sparselu.c
 */
#include <math.h>
#include <omp.h>
#include <ompls_parts.h>
#include <stdio.h>
#include <stdlib.h>

#define NB 8 /* blocks in a row of them */
#define BS 24 /* numbers in a row of a block */
#define BLOCK (BS * BS)

static char there[NB][NB]; /* whether block (i, j) has numbers, now or later */

#pragma omp declare target
/* The diagonal block in place: U, and below it L without its ones. */
static void factor(double *d)
{
    for (int k = 0; k < BS; k++)
        for (int i = k + 1; i < BS; i++) {
            d[i * BS + k] /= d[k * BS + k];
            for (int j = k + 1; j < BS; j++)
                d[i * BS + j] -= d[i * BS + k] * d[k * BS + j];
        }
}

/* A block right of the diagonal one. */
static void forward(const double *d, double *right)
{
    for (int k = 0; k < BS; k++)
        for (int i = k + 1; i < BS; i++)
            for (int j = 0; j < BS; j++)
                right[i * BS + j] -= d[i * BS + k] * right[k * BS + j];
}

/* A block below the diagonal one. */
static void divide(const double *d, double *below)
{
    for (int i = 0; i < BS; i++)
        for (int k = 0; k < BS; k++) {
            below[i * BS + k] /= d[k * BS + k];
            for (int j = k + 1; j < BS; j++)
                below[i * BS + j] -= below[i * BS + k] * d[k * BS + j];
        }
}

static void subtract_product(double *inner, const double *left, const double *above)
{
    for (int i = 0; i < BS; i++)
        for (int k = 0; k < BS; k++)
            for (int j = 0; j < BS; j++)
                inner[i * BS + j] -= left[i * BS + k] * above[k * BS + j];
}
#pragma omp end declare target

static void fill(double *rows[NB])
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            there[i][j] = i == j || (i + 2 * j) % 5 == 0;
            for (int k = 0; k < BLOCK; k++)
                rows[i][j * BLOCK + k] = there[i][j] ? (i * 7 + j * 3 + k) % 11 / 11.0 : 0;
            for (int k = 0; k < BS && i == j; k++)
                rows[i][j * BLOCK + k * BS + k] += 4 * NB * BS; /* no row has to be changed for another */
        }
    for (int k = 0; k < NB; k++)
        for (int i = k + 1; i < NB; i++)
            for (int j = k + 1; j < NB; j++)
                there[i][j] |= there[i][k] && there[k][j];
}

/* Row i after step k - 1, in step k > its own: what stands in front of the diagonal, and what that takes away behind it. */
static void eliminate(double *row, const double *pivot, const char *row_has, const char *pivot_has, int k)
{
    if (!row_has[k])
        return;
    divide(pivot + k * BLOCK, row + k * BLOCK);
    for (int j = k + 1; j < NB; j++)
        if (pivot_has[j])
            subtract_product(row + j * BLOCK, row + k * BLOCK, pivot + j * BLOCK);
}

static void alone(double *rows[NB])
{
    for (int k = 0; k < NB; k++) {
        factor(rows[k] + k * BLOCK);
        for (int j = k + 1; j < NB; j++)
            if (there[k][j])
                forward(rows[k] + k * BLOCK, rows[k] + j * BLOCK);
        for (int i = k + 1; i < NB; i++)
            eliminate(rows[i], rows[k], there[i], there[k], k);
    }
}

static int together(double *rows[NB], int devices)
{
    #define OWNER(i) ((i) % devices)
    int failed = 0;
    for (int i = 0; i < NB; i++) {
        #pragma omp target enter data device(OWNER(i)) map(to: rows[i][0:NB * BLOCK])
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data device(d) map(to: there)
    }
    for (int k = 0; k < NB; k++) {
        double *pivot = rows[k];
        int length = (NB - k) * BLOCK;
        #pragma omp target device(OWNER(k)) map(alloc: pivot[0:NB * BLOCK])
        {
            factor(pivot + k * BLOCK);
            #pragma omp parallel for schedule(dynamic)
            for (int j = k + 1; j < NB; j++)
                if (there[k][j])
                    forward(pivot + k * BLOCK, pivot + j * BLOCK);
        }
        for (int d = 0; d < devices; d++) {
            #pragma omp target enter data device(d) map(alloc: pivot[k * BLOCK:length])
        }
        failed |= ompls_pass_on(pivot + k * BLOCK, length * sizeof *pivot, OWNER(k), devices);
        #pragma omp parallel for num_threads(devices)
        for (int d = 0; d < devices; d++) {
            for (int i = k + 1; i < NB; i++) {
                double *row = rows[i];
                if (OWNER(i) != d || !there[i][k])
                    continue;
                #pragma omp target device(d) map(alloc: row[0:NB * BLOCK], pivot[k * BLOCK:length])
                {
                    divide(pivot + k * BLOCK, row + k * BLOCK);
                    #pragma omp parallel for schedule(dynamic)
                    for (int j = k + 1; j < NB; j++)
                        if (there[k][j])
                            subtract_product(row + j * BLOCK, row + k * BLOCK, pivot + j * BLOCK);
                }
            }
        }
        for (int d = 0; d < devices; d++) {
            #pragma omp target exit data device(d) map(release: pivot[k * BLOCK:length])
        }
    }
    for (int i = 0; i < NB; i++) {
        #pragma omp target exit data device(OWNER(i)) map(from: rows[i][0:NB * BLOCK])
    }
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data device(d) map(release: there)
    }
    return failed;
}

int main(void)
{
    int devices = omp_get_num_devices();
    double *rows[NB], *expected[NB], worst = 0;
    int filled = 0;
    for (int i = 0; i < NB; i++) {
        rows[i] = malloc(NB * BLOCK * sizeof(double));
        expected[i] = malloc(NB * BLOCK * sizeof(double));
        if (rows[i] == NULL || expected[i] == NULL)
            return 2;
    }
    fill(rows);
    fill(expected);
    alone(expected);
    int failed = together(rows, devices > 0 ? devices : 1);
    for (int i = 0; i < NB; i++) {
        for (int j = 0; j < NB; j++)
            filled += there[i][j];
        for (int k = 0; k < NB * BLOCK; k++)
            worst = fmax(worst, fabs(rows[i][k] - expected[i][k]));
        free(rows[i]);
        free(expected[i]);
    }
    printf("sparselu: %d of %d blocks, difference %g, %s\n", filled, NB * NB, worst, failed == 0 && worst < 1e-9 ? "correct" : "wrong");
    return failed != 0 || worst >= 1e-9;
}
