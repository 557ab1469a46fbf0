// Device buffer in a struct, filled by omp_target_memcpy in a wrapper.
#include <omp.h>
#include <stdlib.h>
typedef struct { size_t n; double *dev; int id; } devbuf;

static devbuf make(size_t n)
{
    devbuf b = {n, NULL, omp_get_default_device()};
    b.dev = omp_target_alloc(n * sizeof(double), b.id);
    return b;
}

static void put(devbuf b, const double *src)
{
    omp_target_memcpy(b.dev, src, b.n * sizeof(double), 0, 0, b.id, omp_get_initial_device()); //@ good bad bad3
    omp_target_memcpy(b.dev, src, b.n, 0, 0, b.id, omp_get_initial_device()); //@ bad2 // expect: mapping [bad2]
}

static void get(devbuf b, double *dst)
{
    omp_target_memcpy(dst, b.dev, b.n * sizeof(double), 0, 0, omp_get_initial_device(), b.id); //@ good bad2
    omp_target_memcpy(dst, b.dev, b.n * sizeof(double), 0, 0, b.id, omp_get_initial_device()); //@ bad // expect: mapping [bad]
    for (size_t i = 0; i < b.n; i++) //@ bad3
        dst[i] = b.dev[i]; //@ bad3 // expect: mapping [bad3]
}

int main(void)
{
    double h[50], r[50] = {0};
    for (int i = 0; i < 50; i++)
        h[i] = i;
    devbuf b = make(50);
    put(b, h);
    double *d = b.dev;
#pragma omp target teams distribute parallel for is_device_ptr(d) device(b.id)
    for (int i = 0; i < 50; i++)
        d[i] *= d[i];
    get(b, r);
    omp_target_free(b.dev, b.id);
    int bad = 0;
    for (int i = 0; i < 50; i++)
        bad |= r[i] != (double)i * i;
    return bad;
}
