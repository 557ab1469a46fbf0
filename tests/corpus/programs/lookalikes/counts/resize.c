// A growing array leaves the device before realloc and enters again.
#include <stdio.h>
#include <stdlib.h>

typedef struct { int *at; int room; } list;

static void grow(list *l, int room)
{
    int *at = l->at;
#pragma omp target exit data map(from: at[0:l->room])
    l->at = realloc(l->at, room * sizeof(int));
    for (int i = l->room; i < room; i++)
        l->at[i] = 0;
    l->room = room;
    at = l->at;
#pragma omp target enter data map(to: at[0:room])
}

int main(void)
{
    list l = { calloc(4, sizeof(int)), 4 };
    int *at = l.at;
#pragma omp target enter data map(to: at[0:4])
    for (int size = 8; size <= 32; size *= 2) {
        grow(&l, size);
        at = l.at;
#pragma omp target
        for (int i = 0; i < size; i++)
            at[i]++;
    }
#pragma omp target exit data map(from: at[0:l.room])
    int wrong = l.at[0] != 3 || l.at[31] != 1;
    free(l.at);
    return wrong;
}
