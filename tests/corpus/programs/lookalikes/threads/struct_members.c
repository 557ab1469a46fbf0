// Different members of one struct, in two sections.
#include <stdio.h>

struct result { double min, max; int n[2]; };

int main(void)
{
    struct result r = { 1e9, -1e9, { 0, 0 } };
    double v[50];
    for (int i = 0; i < 50; i++)
        v[i] = (i * 7) % 50;
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < 50; i++)
            if (v[i] < r.min) {
                r.min = v[i];
                r.n[0]++;
            }
#pragma omp section
        for (int i = 0; i < 50; i++)
            if (v[i] > r.max) {
                r.max = v[i];
                r.n[1]++;
            }
    }
    return r.min != 0.0 || r.max != 49.0;
}
