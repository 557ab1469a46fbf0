/* array_addition: every device adds its part of two arrays.
 *
 * What to look at: a section is begin:length. Each device gets the elements that it needs, and no others; its results
 * come back into their own places, whichever device is the first. The task of each region is the host's: `nowait` lets
 * the next device start at once, and one `taskwait` waits for all. Inside a region the cores of a node share the loop.
 *     ompls run --device mpinode:8 examples/cluster/array_addition.c
 */
#include <omp.h>
#include <stdio.h>

#define SIZE 1024

int main(void)
{
    static int a[SIZE], b[SIZE], c[SIZE];
    int devices = omp_get_num_devices(), parts = devices > 0 ? devices : 1, wrong = 0;
    for (int i = 0; i < SIZE; i++) {
        a[i] = i;
        b[i] = 3 * i;
    }
    for (int part = 0; part < parts; part++) {
        int begin = SIZE * part / parts, length = SIZE * (part + 1) / parts - begin;
        #pragma omp target device(part) nowait map(to: a[begin:length], b[begin:length]) map(from: c[begin:length])
        #pragma omp parallel for
        for (int i = begin; i < begin + length; i++)
            c[i] = a[i] + b[i];
    }
    #pragma omp taskwait
    for (int i = 0; i < SIZE; i++)
        wrong += c[i] != 4 * i;
    printf("array_addition: %d parts, %s\n", parts, wrong ? "wrong" : "correct");
    return wrong != 0;
}
