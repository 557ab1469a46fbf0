/* What a kernel prints, by the names of the C library's streams. */
#include <stdio.h>

int main(void)
{
    int done = 0;
    #pragma omp target map(tofrom: done)
    {
        printf("printed\n");
        fprintf(stdout, "to stdout\n");
        fprintf(stderr, "to stderr\n");
        done = 1;
    }
    printf("back\n");
    return !done;
}
