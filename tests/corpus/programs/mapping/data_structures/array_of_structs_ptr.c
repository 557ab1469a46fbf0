// An array of structures with a pointer each, mapped one by one.
#include <stdio.h>
#include <stdlib.h>
typedef struct { int len; int *items; } bucket;
#define NB 6
int main(void)
{
    bucket *b = malloc(NB * sizeof *b);
    for (int i = 0; i < NB; i++) {
        b[i].len = 10 + i;
        b[i].items = malloc(b[i].len * sizeof(int));
        for (int j = 0; j < b[i].len; j++) b[i].items[j] = j;
    }
    int total[NB];
#pragma omp target enter data map(to: b[0:NB])
    for (int i = 0; i < NB; i++) {
#pragma omp target enter data map(to: b[i].items[0:b[i].len]) //@ good bad3
#pragma omp target enter data map(alloc: b[i].items[0:b[i].len]) //@ bad2 // expect: mapping [bad2]
    }
#pragma omp target teams distribute parallel for map(from: total) //@ good bad bad2 // expect: mapping [bad bad2]
#pragma omp target teams distribute parallel for map(to: total) //@ bad3 // expect: mapping [bad3]
    for (int i = 0; i < NB; i++) {
        int s = 0;
        for (int j = 0; j < b[i].len; j++) s += b[i].items[j]; // expect: mapping [bad bad2]
        total[i] = s;
    }
    for (int i = 0; i < NB; i++) {
#pragma omp target exit data map(delete: b[i].items[0:b[i].len]) //@ good bad2 bad3
    }
#pragma omp target exit data map(delete: b[0:NB])
    for (int i = 0; i < NB; i++) {
        printf("%d\n", total[i]); // expect: mapping [bad3]
        free(b[i].items);
    }
    free(b);
    return 0;
}
