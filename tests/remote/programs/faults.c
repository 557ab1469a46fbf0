/* What kernels do wrong, and what they print. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 20000 };

static int is(const char *said, const char *what)
{
    return strcmp(said, what) == 0;
}

int main(int argc, char **argv)
{
    int n = 100, zero = argc - 2, r = 0, *array = malloc(n * sizeof *array), *pointer = malloc(n * sizeof *pointer);
    const char *said = argv[1];
    memset(array, 1, n * sizeof *array);
    printf("before\n");
    #pragma omp target
    printf("in the kernel\n");
    if (is(said, "read"))
    #pragma omp target map(tofrom: r)
    {
        int *p = pointer;
        r = p[3];
    } else if (is(said, "write"))
    #pragma omp target firstprivate(pointer)
        pointer[5] = 7;
    else if (is(said, "null"))
    #pragma omp target map(tofrom: r)
        r = ((int *)(size_t)zero)[2];
    else if (is(said, "beyond"))
    #pragma omp target map(array[0:n]) map(tofrom: r)
        r = array[n + 20000];
    else if (is(said, "divide"))
    #pragma omp target map(tofrom: r)
        r = 5 / zero;
    else if (is(said, "abort"))
    #pragma omp target
        abort();
    else if (is(said, "team"))
    #pragma omp target parallel for num_threads(4) firstprivate(pointer)
        for (int i = 0; i < 100; i++)
            pointer[i] = i;
    else if (is(said, "freed")) {
        int *there = omp_target_alloc(n * sizeof *there, 0), *again = there;
        #pragma omp target is_device_ptr(there)
        there[n / 2] = 1;
        omp_target_free(there, 0);
        there = omp_target_alloc(n * sizeof *there, 0); /* at the same place, and zero */
        #pragma omp target is_device_ptr(there)
        if (there != again || there[n / 2] != 0) abort();
        omp_target_free(there, 0);
        #pragma omp target firstprivate(again)
        if (again[n / 2] == 0) abort();
    } else if (is(said, "print"))
    #pragma omp target
        for (int i = 0; i < MANY; i++) printf("line %d\n", i);
    printf("after\n");
    return r == 12345;
}
