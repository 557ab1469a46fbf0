// Every iteration increments the same counter.
#include <stdio.h>
#define N 1000

int main(void)
{
    int counter = 0;
#pragma omp target teams distribute parallel for map(tofrom: counter) //@ bad good2 good3
#pragma omp target teams distribute parallel for reduction(+: counter) //@ good
    for (int i = 0; i < N; i++)
#pragma omp atomic //@ good2
#pragma omp atomic update relaxed //@ good3
        counter++; // expect: race
    printf("%d\n", counter);
    return counter != N;
}
