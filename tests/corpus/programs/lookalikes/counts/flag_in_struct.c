// The object knows whether it is on the device.
#include <stdio.h>
#include <stdlib.h>

struct vec { int n; float *x; int on_device; };

static void to_device(struct vec *v)
{
    if (v->on_device)
        return;
    float *x = v->x;
#pragma omp target enter data map(to: x[0:v->n])
    v->on_device = 1;
}

static void to_host(struct vec *v)
{
    if (!v->on_device)
        return;
    float *x = v->x;
#pragma omp target exit data map(from: x[0:v->n])
    v->on_device = 0;
}

int main(void)
{
    struct vec v = { 10, calloc(10, sizeof(float)), 0 };
    float *x = v.x;
    to_device(&v);
    to_device(&v);
#pragma omp target
    for (int i = 0; i < 10; i++)
        x[i] = 3.0f;
    to_host(&v);
    to_host(&v);
    int wrong = v.x[9] != 3.0f;
    free(v.x);
    return wrong;
}
