#include <stdio.h>
#include <stdlib.h>
struct acc { long hits; long misses; };
void probe(const int *t, int n, int key, struct acc *a)
{
    long hits = 0, misses = 0; //@ good
    #pragma omp target teams distribute parallel for map(to: t[0:n]) map(tofrom: hits, misses) reduction(+: hits, misses) //@ good
    #pragma omp target teams distribute parallel for map(to: t[0:n]) map(tofrom: a[0:1]) //@ bad // or-here
    for (int i = 0; i < n; i++) {
        if (t[i] == key)
            hits++; //@ good
            a->hits++; //@ bad // expect: race
        else
            misses++; //@ good
            ; //@ bad
    }
    a->hits += hits; //@ good
    a->misses += misses; //@ good
}
int main(void)
{
    int t[100];
    struct acc a = {0, 0};
    for (int i = 0; i < 100; i++)
        t[i] = i % 5;
    probe(t, 100, 3, &a);
    printf("%ld %ld\n", a.hits, a.misses);
    return 0;
}
