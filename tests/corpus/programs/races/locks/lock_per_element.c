// A lock for each bin protects the bin, not the total.
#include <stdio.h>
#include <omp.h>
#define BINS 4

int main(void)
{
    omp_lock_t lock[BINS];
    int bin[BINS] = { 0 }, total = 0;
    for (int b = 0; b < BINS; b++)
        omp_init_lock(&lock[b]);
#pragma omp parallel for
    for (int i = 0; i < 400; i++) {
        int b = i % BINS;
        omp_set_lock(&lock[b]);
        bin[b]++;
        total++; //@ bad // expect: hint
        omp_unset_lock(&lock[b]);
#pragma omp atomic //@ good
        total++; //@ good
    }
    for (int b = 0; b < BINS; b++)
        omp_destroy_lock(&lock[b]);
    return total != 400 || bin[3] != 100;
}
