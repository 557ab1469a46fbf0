/* jacobi: heat in a square plate, a time loop over two-dimensional sweeps.
 *
 * What to look at: the plate lives on the device for the whole time loop. `target enter data` puts it there before
 * the loop and `target exit data` fetches it afterwards; unlike `target data` the two need not enclose a block, so
 * they may stand wherever the program's own allocation and release stand. `collapse(2)` turns both loops into one
 * iteration space, which gives a GPU ROWS*COLS threads instead of ROWS. The largest change of a sweep comes back
 * as a max reduction: a reduction variable on a target construct is mapped tofrom (since OpenMP 5.0), so the host
 * sees the result without a map clause; the one here is for compilers of OpenMP 4.5.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 66
#define COLS 130
#define AT(i, j) ((i) * COLS + (j))

static const double tolerance = 1e-3;
static const int max_sweeps = 200;

/* The edge on top is hot, the others are cold. */
static void initialise(double *plate)
{
    memset(plate, 0, ROWS * COLS * sizeof *plate);
    for (int j = 0; j < COLS; j++)
        plate[AT(0, j)] = 100.0;
}

/* Sweeps on the device until the residual is small; returns the number of sweeps. */
static int solve_on_device(double *now, double *next, double *residual)
{
    double change = 2 * tolerance;
    int sweeps = 0;

    /* `next` needs its cold and hot edges, too: both are copied in. */
    #pragma omp target enter data map(to: now[0:ROWS*COLS], next[0:ROWS*COLS])
    while (change > tolerance && sweeps < max_sweeps) {
        change = 0.0;
        #pragma omp target teams distribute parallel for collapse(2) reduction(max: change) map(tofrom: change)
        for (int i = 1; i < ROWS - 1; i++)
            for (int j = 1; j < COLS - 1; j++) {
                double mean = 0.25 * (now[AT(i - 1, j)] + now[AT(i + 1, j)] + now[AT(i, j - 1)] + now[AT(i, j + 1)]);
                next[AT(i, j)] = mean;
                change = fmax(change, fabs(mean - now[AT(i, j)]));
            }

        /* The pointers are firstprivate in the region: whatever they point to is looked up in the device's present
         * table at each region, so exchanging them on the host exchanges the plates on the device. */
        double *other = now;
        now = next;
        next = other;
        sweeps++;
    }
    /* Only the newest plate is wanted; the other one is dropped without a copy. */
    #pragma omp target exit data map(from: now[0:ROWS*COLS]) map(release: next[0:ROWS*COLS])
    *residual = change;
    return sweeps;
}

static int solve_on_host(double *now, double *next, double *residual)
{
    double change = 2 * tolerance;
    int sweeps = 0;
    while (change > tolerance && sweeps < max_sweeps) {
        change = 0.0;
        for (int i = 1; i < ROWS - 1; i++)
            for (int j = 1; j < COLS - 1; j++) {
                double mean = 0.25 * (now[AT(i - 1, j)] + now[AT(i + 1, j)] + now[AT(i, j - 1)] + now[AT(i, j + 1)]);
                next[AT(i, j)] = mean;
                change = fmax(change, fabs(mean - now[AT(i, j)]));
            }
        double *other = now;
        now = next;
        next = other;
        sweeps++;
    }
    *residual = change;
    return sweeps;
}

int main(void)
{
    double *plates[4];
    for (int k = 0; k < 4; k++) {
        plates[k] = malloc(ROWS * COLS * sizeof *plates[k]);
        if (!plates[k]) {
            fprintf(stderr, "jacobi: out of memory\n");
            return 2;
        }
        initialise(plates[k]);
    }

    double residual, expected_residual;
    int sweeps = solve_on_device(plates[0], plates[1], &residual);
    int expected = solve_on_host(plates[2], plates[3], &expected_residual);

    /* After an even number of sweeps the newest plate is the first of a pair again. */
    const double *result = plates[sweeps % 2], *reference = plates[2 + expected % 2];
    double error = fabs(residual - expected_residual);
    for (int k = 0; k < ROWS * COLS; k++)
        error = fmax(error, fabs(result[k] - reference[k]));
    int wrong = sweeps != expected || error > 1e-9;
    printf("jacobi: %d sweeps, residual %.4f, centre %.4f, %s\n", sweeps, residual, result[AT(ROWS / 2, COLS / 2)],
           wrong ? "WRONG" : "correct");
    for (int k = 0; k < 4; k++)
        free(plates[k]);
    return wrong;
}
