// One of two buffers, chosen by an argument.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = 100;
    int *small = malloc(n * sizeof(int)), *big = malloc(10 * n * sizeof(int));
    int *use, len;
    if (argc > 1) { use = big; len = 10 * n; }
    else { use = small; len = n; }
    for (int i = 0; i < len; i++) use[i] = i;
#pragma omp target teams distribute parallel for map(tofrom: use[0:len]) //@ good
#pragma omp target teams distribute parallel for map(alloc: use[0:len]) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for map(tofrom: use[0:len / 2]) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for map(to: use[0:len]) //@ bad3 // expect: mapping [bad3]
    for (int i = 0; i < len; i++) use[i] *= 2; // expect: mapping [bad bad2]
    printf("%d\n", use[len - 1]); // expect: mapping [bad3]
    free(small); free(big);
    return 0;
}
