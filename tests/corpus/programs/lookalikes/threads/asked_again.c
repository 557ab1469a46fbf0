// A test before the critical section that is made again inside of it: what was read too early does no harm.
#include <stdio.h>

int main(void)
{
    double x[1000], low;
    for (int i = 0; i < 1000; i++)
        x[i] = (i * 37 + 11) % 1000;
    low = x[0];
#pragma omp parallel shared(low)
    {
        double own = x[0];
#pragma omp for
        for (int i = 1; i < 1000; i++)
            if (x[i] < own)
                own = x[i];
        if (own < low) {
#pragma omp critical
            {
                if (own < low)
                    low = own;
            }
        }
    }
    printf("%g\n", low);
    return low != 0;
}
