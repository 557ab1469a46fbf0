// Each block is mapped with its halo; the halo of one block is inside of the next.
#include <stdio.h>
#include <stdlib.h>
#define B 25

int main(void)
{
    double *u = malloc(4 * B * sizeof(double)), s[4] = { 0 };
    for (int i = 0; i < 4 * B; i++)
        u[i] = 1.0;
#pragma omp target enter data map(to: u[0:B+1]) // or-here
#pragma omp target enter data map(to: u[B:B+1]) //@ bad // expect: mapping
#pragma omp target enter data map(to: u[B+1:B]) //@ good
    for (int b = 0; b < 2; b++) {
        double part = 0.0;
        for (int i = b * B; i < (b + 1) * B; i++)
            part += u[i];
        s[b] = part;
    }
#pragma omp target exit data map(release: u[0:B+1])
#pragma omp target exit data map(release: u[B:B+1]) //@ bad // or-here
#pragma omp target exit data map(release: u[B+1:B]) //@ good
    free(u);
    return s[0] != B || s[1] != B;
}
