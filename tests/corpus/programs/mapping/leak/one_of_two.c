// Two arrays enter, one leaves.
#include <stdio.h>
#include <stdlib.h>

struct pair { float *a; float *b; int n; };

static void enter(float *a, float *b, int n)
{
#pragma omp target enter data map(to: a[0:n], b[0:n]) // expect: mapping
}

static void leave(float *a, float *b, int n)
{
#pragma omp target exit data map(from: a[0:n]) //@ bad // or-here
#pragma omp target exit data map(from: a[0:n]) map(delete: b[0:n]) //@ good
    (void)b;
}

int main(void)
{
    struct pair p = { malloc(40), malloc(40), 10 };
    float *a = p.a, *b = p.b;
    for (int i = 0; i < p.n; i++)
        a[i] = b[i] = 1.5f;
    enter(a, b, p.n);
#pragma omp target
    for (int i = 0; i < 10; i++)
        a[i] += b[i];
    leave(a, b, p.n);
    int wrong = a[9] != 3.0f;
    free(b); // or-here
    free(a);
    return wrong;
}
