/* A kernel that runs for ever. */
#include <stdio.h>

int main(void)
{
    volatile int going = 1;
    #pragma omp target map(to: going)
    while (going) continue;
    printf("it ended\n");
    return 0;
}
