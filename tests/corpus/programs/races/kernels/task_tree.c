#include <stdio.h>
#include <stdlib.h>
struct tree { int key, size; struct tree *l, *r; };
static struct tree *make(int lo, int hi)
{
    if (lo >= hi)
        return NULL;
    int mid = (lo + hi) / 2;
    struct tree *t = malloc(sizeof *t);
    *t = (struct tree){mid, 0, make(lo, mid), make(mid + 1, hi)};
    return t;
}
static int count(struct tree *t)
{
    int a = 0, b = 0;
    if (!t)
        return 0;
    #pragma omp task shared(a)
    a = count(t->l); // or-here
    b = count(t->r);
    #pragma omp taskwait //@ good
    t->size = a + b + 1; // expect: race
    return t->size;
}
int main(void)
{
    struct tree *t = make(0, 100);
    int n = 0;
    #pragma omp parallel
    #pragma omp single
    n = count(t);
    printf("%d\n", n);
    return 0;
}
