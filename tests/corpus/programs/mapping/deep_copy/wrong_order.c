// The buffer is mapped before the struct is: nothing attaches the pointer.
#include <stdio.h>
#include <stdlib.h>

struct vec { long n; float *v; };

static void vec_enter(struct vec *s)
{
    float *raw = s->v; //@ bad
#pragma omp target enter data map(to: raw[0:s->n]) //@ bad
#pragma omp target enter data map(to: s[0:1]) // or-here
#pragma omp target enter data map(to: s->v[0:s->n]) //@ good
}

static void vec_exit(struct vec *s)
{
#pragma omp target exit data map(from: s->v[0:s->n]) //@ good
    float *raw = s->v; //@ bad
#pragma omp target exit data map(from: raw[0:s->n]) //@ bad
#pragma omp target exit data map(release: s[0:1])
}

int main(void)
{
    struct vec a = { 20, calloc(20, sizeof(float)) }, *s = &a;
    vec_enter(s);
#pragma omp target map(s[0:1]) // expect: mapping
    for (long i = 0; i < s->n; i++)
        s->v[i] = (float)i; // or-here
    vec_exit(s);
    int wrong = a.v[19] != 19.0f;
    free(a.v);
    return wrong;
}
