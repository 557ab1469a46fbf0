// A struct on the device whose pointer member is mapped first, and is not attached.
#include <stdlib.h>
typedef struct { int n; int *d; } vec;

static void sum_on(vec *v, int *result)
{
    int s = 0;
#pragma omp target map(tofrom: s) map(to: v[0:1]) //@ good bad
#pragma omp target map(tofrom: s) map(to: v->n) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < v->n; i++)
        s += v->d[i]; // expect: mapping [bad2 bad]
    *result = s;
}

int main(void)
{
    vec v = {5, malloc(5 * sizeof(int))};
    for (int i = 0; i < 5; i++)
        v.d[i] = i;
#pragma omp target enter data map(to: v) //@ good
#pragma omp target enter data map(to: v.d[0:5]) //@ good
#pragma omp target enter data map(to: v) //@ bad // or-here [bad]
    int s = 0;
    sum_on(&v, &s); // or-here [bad]
#pragma omp target exit data map(delete: v.d[0:5]) //@ good
#pragma omp target exit data map(delete: v) //@ good bad
    free(v.d);
    return s != 10;
}
