#include <stdio.h>
#include <stdlib.h>
static int *work;
#pragma omp threadprivate(work) //@ good bad2
static int count;
#pragma omp threadprivate(count)
int main(void)
{
    int total = 0;
    #pragma omp parallel // or-here
    {
        work = malloc(100 * sizeof *work); // expect: race [bad]
        count = 0;
        for (int i = 0; i < 100; i++)
            work[i] = i; // or-here
        for (int i = 0; i < 100; i++)
            count += work[i]; // or-here
        #pragma omp atomic //@ good bad
        total += count; // expect: race [bad2]
        free(work); // or-here
    }
    printf("%d\n", total);
    return 0;
}
