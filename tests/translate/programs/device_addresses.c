/* has_device_addr: the region works on the variable itself, also where gcc runs it in place. */
#include "expect.h"

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
    return failures != 0;
}
