// A histogram in a global table; bins are cleared and read back by helpers.
#include <stdio.h>
#include <string.h>
#define BINS 32

int hist[BINS];
#pragma omp declare target to(hist)

static void clear_hist(void)
{
    memset(hist, 0, sizeof hist);
#pragma omp target update to(hist) //@ good bad2
}

static void fill(const unsigned char *data, int n)
{
#pragma omp target teams distribute parallel for map(to: data[0:n]) // expect: mapping [bad]
    for (int i = 0; i < n; i++) {
#pragma omp atomic // or-here [bad]
        hist[data[i] % BINS]++; // or-here [bad]
    }
}

static int total(void)
{
    int sum = 0;
#pragma omp target update from(hist) //@ good bad
    for (int b = 0; b < BINS; b++)
        sum += hist[b]; // expect: mapping [bad2]
    return sum;
}

int main(void)
{
    unsigned char image[1000];
    for (int i = 0; i < 1000; i++)
        image[i] = (unsigned char)(i * 7);
    for (int round = 0; round < 3; round++) {
        clear_hist();
        fill(image, 1000);
        if (total() != 1000) {
            printf("round %d\n", round);
            return 1;
        }
    }
    return 0;
}
