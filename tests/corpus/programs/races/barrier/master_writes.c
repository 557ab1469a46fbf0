// The master thread sets a value that all threads read.
#include <stdio.h>
#include <omp.h>

int main(void)
{
    int config = 0, wrong = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp master //@ bad good
#pragma omp single //@ good2
        config = 42; // expect: race
#pragma omp barrier //@ good
        if (config != 42) { // or-here
#pragma omp atomic
            wrong++;
        }
    }
    printf("%d\n", config);
    return wrong != 0;
}
