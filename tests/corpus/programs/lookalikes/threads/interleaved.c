// Real and imaginary parts in turn, a leading dimension, a cyclic distribution by hand.
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>
#define LD 24

int main(void)
{
    int n = 20, wrong = 0;
    double z[2 * LD], m[LD * LD], c[LD];
#pragma omp parallel for
    for (int i = 0; i < LD; i++) {
        z[2 * i] = i;
        z[2 * i + 1] = -z[2 * i];
    }
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m[j * LD + i] = i;
#pragma omp parallel
    for (int i = omp_get_thread_num(); i < LD; i += omp_get_num_threads())
        c[i] = z[2 * i] + (i < n ? m[i] : i);
    for (int i = 0; i < LD; i++)
        wrong |= c[i] != 2 * i;
    return wrong;
}
