/* histogram: many threads, few counters.
 *
 * What to look at: thousands of threads may want the same bin at the same moment. `counts[bin]++` alone would lose
 * some of the increments; `atomic update` makes each of them indivisible. The bins are mapped tofrom because the
 * region adds to what is already there: with `from` it would add to whatever the device's memory happened to hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 32

/* A small generator, so that the data is the same everywhere. */
static unsigned int scramble(unsigned int state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ (state << 5);
}

int main(void)
{
    const int n = 200000;
    unsigned char *data = malloc(n);
    if (!data) {
        fprintf(stderr, "histogram: out of memory\n");
        return 2;
    }
    unsigned int state = 2463534242u;
    for (int i = 0; i < n; i++) {
        state = scramble(state);
        data[i] = (unsigned char)(state >> 24);
    }

    unsigned int counts[BINS], expected[BINS];
    memset(counts, 0, sizeof counts);
    memset(expected, 0, sizeof expected);

    #pragma omp target teams distribute parallel for map(to: data[0:n]) map(tofrom: counts)
    for (int i = 0; i < n; i++) {
        int bin = data[i] * BINS / 256;
        #pragma omp atomic update
        counts[bin]++;
    }

    int wrong = 0;
    for (int i = 0; i < n; i++)
        expected[data[i] * BINS / 256]++;
    for (int bin = 0; bin < BINS; bin++)
        if (counts[bin] != expected[bin])
            wrong++;
    printf("histogram: %d values in %d bins, bin 0 has %u, %s\n", n, BINS, counts[0], wrong ? "WRONG" : "correct");
    free(data);
    return wrong != 0;
}
