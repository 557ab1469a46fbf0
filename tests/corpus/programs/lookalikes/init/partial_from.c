// `from` of an array of which a part is written; the host reads that part.
#include <stdio.h>
#define N 40

int main(void)
{
    int found[N], count = 0, sum = 0;
#pragma omp target map(from: found) map(tofrom: count)
    for (int i = 0; i < N; i++)
        if (i % 7 == 0)
            found[count++] = i;
    for (int k = 0; k < count; k++)
        sum += found[k];
    return count != 6 || sum != 105;
}
