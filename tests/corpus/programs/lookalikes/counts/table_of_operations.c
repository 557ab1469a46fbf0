// Functions that enter and exit are called through a table.
#include <stdio.h>
#include <stdlib.h>

static int *data;
static int n = 14;

static void enter(void)
{
#pragma omp target enter data map(to: data[0:n])
}

static void work(void)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        data[i] += i;
}

static void leave(void)
{
#pragma omp target exit data map(from: data[0:n])
}

int main(void)
{
    void (*steps[])(void) = { enter, work, work, leave };
    data = calloc(n, sizeof(int));
    for (unsigned k = 0; k < sizeof steps / sizeof *steps; k++)
        steps[k]();
    int wrong = data[13] != 26;
    free(data);
    return wrong;
}
