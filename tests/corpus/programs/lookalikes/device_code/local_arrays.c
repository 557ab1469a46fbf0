// Arrays and pointers that live in the region need no map clause.
#include <stdio.h>

int main(void)
{
    int best[8];
#pragma omp target teams distribute parallel for map(from: best)
    for (int r = 0; r < 8; r++) {
        int hist[10] = { 0 }, *p = hist, top = 0;
        for (int i = 0; i < 100; i++)
            p[(i * r) % 10]++;
        for (int k = 1; k < 10; k++)
            if (hist[k] > hist[top])
                top = k;
        best[r] = *(p + top);
    }
    return best[0] != 100 || best[1] != 10;
}
