/* use_device_ptr, use_device_addr, has_device_addr and is_device_ptr, for all kinds of variables. */
#include <omp.h>
#include <stdlib.h>

#include "../expect.h"

struct point {
    int x, y;
};
static int global[8];
static const char *text = "text x";

static void set(int *on_device, int value)
{
#pragma omp target is_device_ptr(on_device)
    on_device[0] = value;
}

static int parameters(int a[], int *p, int n)
{
#pragma omp target data map(tofrom : a[0 : n], p[0 : n]) use_device_ptr(a, p)
    {
        set(a, 5);
        set(p + 1, 6);
    }
    return a[0] * 10 + p[1];
}

int main(void)
{
    int device = omp_get_default_device();
    int x = 1, array[6] = {0}, n = 6, vla[n], *p = malloc(6 * sizeof *p);
    struct point point = {1, 2};
    for (int i = 0; i < n; i++)
        p[i] = vla[i] = i;
#pragma omp target data map(tofrom : x, point, array, vla, p[0 : 6]) map(global)
    {
        void *there = omp_get_mapped_ptr(&x, device);
#pragma omp target data use_device_addr(x, point, array, vla) use_device_ptr(p)
        {
            expect((void *)&x == there, 1, "&x is the device's");
            expect(sizeof array, 6 * sizeof(int), "an array stays one");
            expect(sizeof point.x + sizeof x, 2 * sizeof(int), "x.x is a member");
            expect(text[5], 'x', "text");
            set(&x, 7);
            set(&point.y, 8);
            set(array + 2, 9);
            set(&array[3], 10);
            set(&vla[1], 11);
            set(p, 12);
#pragma omp target has_device_addr(x, point, array) has_device_addr(vla)
            {
                point.x = x + array[2];
                array[5] = vla[1];
            }
            {
                int x = 3; // another one
                expect(x, 3, "a variable that hides it");
            }
        }
#pragma omp target data use_device_addr(array[2 : 3], p[1 : 2])
        {
            set(&array[4], 13);
            set(&p[2], 14);
#pragma omp target has_device_addr(array[0 : 6]) has_device_addr(p[1 : 2])
            array[1] = p[2];
        }
#pragma omp target data use_device_addr(global)
        set(global + 7, 15);
    }
    expect(x, 7, "x");
    expect(point.x, 16, "point.x");
    expect(point.y, 8, "point.y");
    expect(array[1], 14, "array[1]");
    expect(array[3], 10, "array[3]");
    expect(array[4], 13, "array[4]");
    expect(array[5], 11, "array[5]");
    expect(p[0] + p[2], 26, "p");
    expect(global[7], 15, "global");
    expect(parameters(array, p, 6), 56, "parameters");

    int *absent = array;
#pragma omp target data use_device_ptr(absent)
    expect(absent == array, 1, "what is absent keeps its address");
#pragma omp target data map(array) use_device_addr(array) if (0)
    array[0]++;
    expect(array[0], 6, "on the initial device");
    return failures != 0;
}
