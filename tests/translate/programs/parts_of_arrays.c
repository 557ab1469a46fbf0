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

/* Of an array that another file defines the length may be unknown; this one's definition comes last. */
extern int later[];
static void of_unknown_length(int n)
{
#pragma omp target teams distribute parallel for map(tofrom : later[0 : n])
    for (int i = 0; i < n; i++)
        later[i] += i;
#pragma omp target data map(tofrom : later[ : n])
#pragma omp target
    later[1] += 10;
    expect(later[n - 1], n - 1, "a section of an array of unknown length");
    expect(later[1], 11, "an array of unknown length that is there");
}

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
    of_unknown_length(20);
    return failures != 0;
}
int later[20];
