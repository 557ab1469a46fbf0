// A function on the device counts in an array that lives there.
#include <stdio.h>
#pragma omp declare target
int histogram[8];
static void bump(int k) {
#pragma omp atomic
    histogram[k]++;
}
#pragma omp end declare target
int main(void)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 800; i++) bump(i % 8);
#pragma omp target update from(histogram) //@ good
    int bad = 0;
    for (int k = 0; k < 8; k++)
        if (histogram[k] != 100) bad++; // expect: mapping [bad]
    printf("%d\n", bad);
    return bad;
}
