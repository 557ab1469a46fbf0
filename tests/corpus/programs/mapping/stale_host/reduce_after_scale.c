// The host normalises with a sum of values that only the device has.
#include <stdio.h>
#include <stdlib.h>

typedef double real;

struct state { real *w; int n; };

static void on(struct state *s)
{
    real *w = s->w;
#pragma omp target enter data map(to: w[0:s->n])
}

static void off(struct state *s)
{
    real *w = s->w;
#pragma omp target exit data map(from: w[0:s->n])
}

static void grow(struct state *s)
{
    real *w = s->w;
    int n = s->n;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        w[i] += i; // or-here
}

static real total(const struct state *s)
{
    real t = 0;
    for (int i = 0; i < s->n; i++)
        t += s->w[i]; // expect: mapping
    return t;
}

int main(void)
{
    struct state s = { calloc(10, sizeof(real)), 10 };
    on(&s);
    grow(&s);
    real t = total(&s); //@ bad // or-here
    off(&s);
    real t = total(&s); //@ good
    printf("%g\n", t);
    free(s.w);
    return t != 45;
}
