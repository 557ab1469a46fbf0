/* Arrays that are mapped in part, and copied by constructs in the region: what is not mapped is not touched, either. */
#include <omp.h>

#include "expect.h"

static void check(const int *a, const char *what)
{
    for (int i = 0; i < 48; i++)
        if (i < 16 || i >= 32)
            expect(a[i], i, what);
}

/* Elements that are not mapped: in place gcc copies them back, too. */
#pragma omp declare target
static void beside(int *a)
{
    for (int i = 0; i < 48; i++)
        if (i < 16 || i >= 32)
            a[i] = omp_is_initial_device() ? i : -1;
}
#pragma omp end declare target

int main(void)
{
    int a[48], last = 0;
    for (int i = 0; i < 48; i++)
        a[i] = i;
    /* The whole array is on the device under another name: what is wrong there comes back, too. */
    int(*all)[48] = &a;
#pragma omp target data map(tofrom : all[0 : 1])
    {
#pragma omp target map(tofrom : a[16 : 16])
#pragma omp parallel for reduction(+ : a)
        for (int i = 0; i < 160; i++)
            a[16 + i % 16] += i;
#pragma omp target map(tofrom : a[16 : 16])
#pragma omp parallel for lastprivate(a)
        for (int i = 0; i < 16; i++) {
            beside(a);
            for (int k = 16; k < 32; k++)
                a[k] = k * 2;
        }
#pragma omp target teams distribute parallel for lastprivate(a) map(tofrom : a[16 : 16])
        for (int i = 0; i < 100; i++) {
            beside(a);
            for (int k = 16; k < 32; k++)
                a[k] = i + k;
        }
#pragma omp target map(tofrom : a[16 : 16]) map(from : last)
        {
            last = 0;
#pragma omp parallel for firstprivate(a) reduction(+ : last)
            for (int i = 16; i < 32; i++)
                last += a[i];
        }
    }
    check(a, "an element beside what is mapped");
    expect(last, 99 * 16 + 376, "firstprivate");
    expect(a[20], 119, "lastprivate");

#pragma omp target map(tofrom : a[16 : 16])
#pragma omp parallel for reduction(+ : a)
    for (int i = 0; i < 160; i++)
        a[16 + i % 16] += i;
    check(a, "an element beside what is mapped by itself");
    expect(a[16], 115 + 10 * 72, "reduction");
    return failures != 0;
}
