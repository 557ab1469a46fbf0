/* has_device_addr: the region works on the variable itself, also where gcc runs it in place.  And pointers of the
   device to rows whose length varies: the kernel is told the length besides the pointer. */
#include <omp.h>

#include "expect.h"

static void in_planes(int nz, int ny, int nx, int d[][ny][nx])
{
#pragma omp target teams distribute parallel for collapse(3) is_device_ptr(d)
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                d[k][j][i] += 100 * k + 10 * j + i;
}

static void rows(int ny)
{
    int dev = omp_get_default_device(), here = omp_get_initial_device(), last = ny - 1;
    int b[6][ny];
    int(*d)[ny] = omp_target_alloc(sizeof b, dev);
#pragma omp target is_device_ptr(d)
    for (int j = 0; j < 6 * ny; j++)
        d[0][j] = 5;
    in_planes(3, 2, ny, (int(*)[2][ny])d);
#pragma omp target is_device_ptr(d)
    (d + 1)[4][0] += sizeof *d;
    omp_target_memcpy(b, d, sizeof b, 0, 0, here, dev);
    omp_target_free(d, dev);
    expect(b[0][1], 6, "the first row");
    expect(b[3][last], 5 + 110 + last, "a row of a plane");
    expect(b[5][0], 5 + 210 + ny * (int)sizeof(int), "the size of a row");

    int(*p)[ny] = b;
#pragma omp target data map(tofrom : p[0 : 6]) use_device_ptr(p)
    {
#pragma omp target is_device_ptr(p)
        p[4][last] = 31;
    }
    expect(b[4][last], 31, "a row of a pointer that the construct around has made");
#pragma omp target data map(tofrom : b) use_device_addr(b)
    {
#pragma omp target has_device_addr(b)
        b[2][last] = 33;
#pragma omp target teams distribute parallel for has_device_addr(b)
        for (int j = 0; j < ny; j++)
            b[1][j] = 34 + j;
    }
    expect(b[2][last], 33, "an array of rows on the device");
    expect(b[1][last], 34 + last, "an array of rows on the device, by threads");
}

int main(void)
{
    int x = 3, n = 4, y[4] = {1, 2, 3, 4}, v[n], *p = y;
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp target data map(tofrom : x, y, v) use_device_addr(x, y, v)
    {
#pragma omp target has_device_addr(x, y)
        {
            x = 10;
            y[2] = 30;
        }
#pragma omp target teams distribute parallel for has_device_addr(v)
        for (int i = 0; i < n; i++)
            v[i] += 7;
    }
    expect(x, 10, "a scalar");
    expect(y[2], 30, "an array");
    expect(v[3], 10, "an array of variable length");
#pragma omp target if (0) has_device_addr(x, y, p)  // in place
    {
        x += 5;
        y[2] += 5;
        p = y + 1;
    }
    expect(x, 15, "a scalar in place");
    expect(y[2], 35, "an array in place");
    expect(*p, 2, "a pointer in place");
#pragma omp target parallel for if (target : n > 4) has_device_addr(x)  // in place
    for (int i = 0; i < 10; i++)
#pragma omp atomic
        x += i;
    expect(x, 60, "a scalar that threads share");
    rows(7);
    return failures != 0;
}
