// The loop ends before the section does, for a reason that is not in its bounds.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int limit = 10, at = -1, *v = malloc(limit * sizeof(int));
    for (int i = 0; i < limit; i++)
        v[i] = i < 9 ? i : -1;
#pragma omp target map(to: v[0:limit]) map(tofrom: at)
    {
        for (int i = 0; i < 1000; i++)
            if (v[i] < 0) {
                at = i;
                break;
            }
        int k = 0;
        while (v[k] >= 0)
            k++;
        at += k;
    }
    free(v);
    return at != 18;
}
