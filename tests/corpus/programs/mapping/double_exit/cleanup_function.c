// main cleans up, and so does the function that main calls at the end.
#include <stdio.h>
#include <stdlib.h>

static int *ids;
static int count;

static void setup(int n)
{
    count = n;
    ids = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        ids[i] = i;
#pragma omp target enter data map(to: ids[0:n])
}

static void teardown(void)
{
#pragma omp target exit data map(delete: ids[0:count]) // expect: mapping
    free(ids);
    ids = NULL;
}

int main(void)
{
    int sum = 0;
    setup(11);
#pragma omp target map(tofrom: sum)
    for (int i = 0; i < 11; i++)
        sum += ids[i];
#pragma omp target exit data map(delete: ids[0:count]) //@ bad // or-here
    teardown(); // or-here
    return sum != 55;
}
