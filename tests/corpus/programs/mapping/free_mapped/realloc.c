// realloc while the old block is mapped.
#include <stdio.h>
#include <stdlib.h>

struct vec { int *items; int used, room; };

static void push_all(struct vec *v, int k)
{
    int *items = v->items;
#pragma omp target exit data map(release: items[0:v->room]) //@ good
    v->items = realloc(items, 2 * v->room * sizeof(int)); // expect: mapping
    v->room *= 2;
    while (v->used < v->room)
        v->items[v->used++] = k;
}

int main(void)
{
    struct vec v = { malloc(4 * sizeof(int)), 4, 4 };
    int sum = 0;
    for (int i = 0; i < 4; i++)
        v.items[i] = i;
    int *items = v.items;
#pragma omp target enter data map(to: items[0:4]) // or-here
#pragma omp target map(tofrom: sum)
    for (int i = 0; i < 4; i++)
        sum += items[i];
    push_all(&v, 7); // or-here
    sum += v.items[7];
    free(v.items);
    printf("%d\n", sum);
    return sum != 13;
}
