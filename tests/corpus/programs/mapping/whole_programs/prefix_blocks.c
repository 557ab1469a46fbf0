// A prefix sum with block sums that the host adds up.
#include <stdlib.h>
#define B 16
#define PER 32

int main(void)
{
    int *v = malloc(B * PER * sizeof(int)), base[B], sums[B], bad = 0;
    for (int i = 0; i < B * PER; i++)
        v[i] = 1;
#pragma omp target enter data map(to: v[0:B*PER]) map(alloc: sums, base) // or-here [bad2]
#pragma omp target teams distribute
    for (int b = 0; b < B; b++) {
        for (int i = 1; i < PER; i++)
            v[b * PER + i] += v[b * PER + i - 1];
        sums[b] = v[b * PER + PER - 1];
    }
#pragma omp target update from(sums) //@ good bad2 bad3
    base[0] = 0;
    for (int b = 1; b < B; b++)
        base[b] = base[b - 1] + sums[b - 1]; // expect: mapping [bad]
#pragma omp target update to(base) //@ good bad bad3
#pragma omp target update to(sums) //@ bad2 // or-here [bad2]
#pragma omp target teams distribute // expect: mapping [bad2]
    for (int b = 0; b < B; b++)
        for (int i = 0; i < PER; i++)
            v[b * PER + i] += base[b]; // or-here [bad2]
#pragma omp target exit data map(from: v[0:B*PER]) map(delete: sums, base) //@ good bad bad2
#pragma omp target exit data map(from: v[0:PER]) map(delete: sums, base) //@ bad3 // or-here [bad3]
    for (int i = 0; i < B * PER; i++)
        bad |= v[i] != i + 1; // expect: mapping [bad3]
    free(v);
    return bad;
}
