// An opaque handle that is mapped at creation; every function is called with it.
#include <stdlib.h>
#include <omp.h>

typedef struct ctx { double *a; double *b; long n; int device; } ctx;

ctx *ctx_new(long n)
{
    ctx *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->n = n;
    c->device = omp_get_default_device();
    c->a = calloc(n, sizeof(double));
    c->b = calloc(n, sizeof(double));
    if (!c->a || !c->b) {
        free(c->a);
        free(c->b);
        free(c);
        return NULL;
    }
    double *a = c->a, *b = c->b;
#pragma omp target enter data map(to: a[0:n], b[0:n]) device(c->device)
    return c;
}

void ctx_step(ctx *c, double d)
{
    double *a = c->a, *b = c->b;
    long n = c->n;
#pragma omp target teams distribute parallel for device(c->device)
    for (long i = 0; i < n; i++)
        b[i] = a[i] + d;
}

const double *ctx_result(ctx *c)
{
    double *b = c->b;
#pragma omp target update from(b[0:c->n]) device(c->device)
    return b;
}

void ctx_delete(ctx *c)
{
    double *a = c->a, *b = c->b;
#pragma omp target exit data map(delete: a[0:c->n], b[0:c->n]) device(c->device)
    free(a);
    free(b);
    free(c);
}
//@ run {
int main(void)
{
    ctx *c = ctx_new(7);
    ctx_step(c, 2.5);
    int wrong = ctx_result(c)[6] != 2.5;
    ctx_delete(c);
    return wrong;
}
