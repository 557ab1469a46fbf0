// The counter is global; a device function increments it.
#include <stdio.h>

int hits;
#pragma omp declare target to(hits)

static void hit(int v)
{
    if (v % 3 == 0) {
#pragma omp atomic //@ good
        hits += 1; // expect: race
    }
}

int main(void)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 300; i++)
        hit(i); // or-here
#pragma omp target update from(hits)
    printf("%d\n", hits);
    return hits != 100;
}
