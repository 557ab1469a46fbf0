// Cleanup first, results second.
#include <stdio.h>
#include <stdlib.h>

static int *table;
static const int entries = 99;

static void build(void)
{
#pragma omp target enter data map(alloc: table[0:entries])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < entries; i++)
        table[i] = i + 1;
}

static void fetch(void)
{
#pragma omp target update from(table[0:entries]) // expect: mapping
}

static void drop(void)
{
#pragma omp target exit data map(delete: table[0:entries]) // or-here
}

int main(void)
{
    table = calloc(entries, sizeof(int));
    build();
    drop(); //@ bad // or-here
    fetch(); // or-here
    drop(); //@ good
    int wrong = table[98] != 99; // or-here
    free(table);
    return wrong;
}
