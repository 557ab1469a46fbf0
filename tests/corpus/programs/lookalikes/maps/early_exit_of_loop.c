// break and continue in a loop with device data: everything leaves after it.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 16, *v = calloc(n, sizeof(int)), stop = 0, rounds = 0;
#pragma omp target enter data map(to: v[0:n])
    for (;;) {
        if (++rounds % 2)
            continue;
#pragma omp target map(tofrom: stop)
        {
            v[0] += 1;
            stop = v[0] >= 3;
        }
        if (stop)
            break;
    }
#pragma omp target exit data map(from: v[0:n])
    int wrong = v[0] != 3 || rounds != 6;
    free(v);
    return wrong;
}
