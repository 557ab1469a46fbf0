// A C "class": create enters, destroy exits; several objects live at once.
#include <stdio.h>
#include <stdlib.h>

typedef struct field { int n; double *val; } field;

static field *field_create(int n, double v)
{
    field *f = malloc(sizeof(field));
    f->n = n;
    f->val = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        f->val[i] = v;
#pragma omp target enter data map(to: f[0:1])
#pragma omp target enter data map(to: f->val[0:n])
    return f;
}

static void field_destroy(field *f)
{
    if (!f)
        return;
#pragma omp target exit data map(delete: f->val[0:f->n])
#pragma omp target exit data map(delete: f[0:1])
    free(f->val);
    free(f);
}

static void field_axpy(field *y, double a, field *x)
{
#pragma omp target teams distribute parallel for
    for (int i = 0; i < y->n; i++)
        y->val[i] += a * x->val[i];
}

int main(void)
{
    field *x = field_create(25, 2.0), *y = field_create(25, 1.0);
    field_axpy(y, 3.0, x);
#pragma omp target update from(y->val[0:y->n])
    int wrong = y->val[24] != 7.0;
    field_destroy(y);
    field_destroy(x);
    return wrong;
}
