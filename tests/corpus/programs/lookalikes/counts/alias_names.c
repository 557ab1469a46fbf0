// Entered under one name, left under another: the same memory.
#include <stdio.h>
#include <stdlib.h>

struct holder { int *data; int n; };
static struct holder *current;

static void drop(void *memory, size_t n)
{
    int *p = memory;
#pragma omp target exit data map(from: p[0:n])
}

int main(void)
{
    int n = 12, *v = calloc(n, sizeof(int)), *alias = v;
    struct holder h = { v, n };
#pragma omp target enter data map(to: v[0:n])
    current = &h;
    int *inside = current->data;
#pragma omp target
    for (int i = 0; i < 12; i++)
        inside[i] = i;
#pragma omp target update from(alias[0:n])
    int wrong = v[11] != 11;
    drop(current->data, current->n);
    free(alias);
    return wrong;
}
