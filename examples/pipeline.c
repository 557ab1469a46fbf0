/* pipeline: blocks of data on their way to the device, through a kernel and back, all at once.
 *
 * What to look at: `nowait` lets the host go on before a construct is done, and `depend` keeps what belongs to one block
 * in order: its values arrive, are used, and leave. Nothing orders the blocks among each other, so one travels while
 * another computes. Without `depend` a kernel might start before its data is there. `taskwait` is where the host needs
 * the results: without it the check below would read values that are still under way.
 */
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 8
#define LENGTH 65536

int main(void)
{
    double *values = malloc(sizeof(double) * BLOCKS * LENGTH);
    if (!values) {
        fprintf(stderr, "pipeline: out of memory\n");
        return 2;
    }
    for (int i = 0; i < BLOCKS * LENGTH; i++)
        values[i] = i % 1000;

    for (int b = 0; b < BLOCKS; b++) {
        double *block = values + (size_t)b * LENGTH;
        #pragma omp target enter data map(to: block[0:LENGTH]) nowait depend(out: block[0])
        #pragma omp target teams distribute parallel for nowait depend(inout: block[0])
        for (int i = 0; i < LENGTH; i++)
            block[i] = block[i] * block[i] + 1;
        #pragma omp target exit data map(from: block[0:LENGTH]) nowait depend(inout: block[0])
    }
    #pragma omp taskwait

    int wrong = 0;
    for (int i = 0; i < BLOCKS * LENGTH; i++)
        wrong += values[i] != (double)(i % 1000) * (i % 1000) + 1;
    printf("pipeline: %d blocks of %d values, the last is %g, %s\n", BLOCKS, LENGTH, values[BLOCKS * LENGTH - 1],
           wrong ? "WRONG" : "correct");
    free(values);
    return wrong != 0;
}
