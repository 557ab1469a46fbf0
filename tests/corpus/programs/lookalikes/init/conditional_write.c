// `from` where every element is written on some path.
#include <stdio.h>
#define N 70

int main(void)
{
    int v[N], s[N];
    for (int i = 0; i < N; i++)
        v[i] = i - 35;
#pragma omp target teams distribute parallel for map(to: v) map(from: s)
    for (int i = 0; i < N; i++) {
        if (v[i] < 0)
            s[i] = -1;
        else if (v[i] > 0)
            s[i] = 1;
        else
            s[i] = 0;
    }
    return s[0] != -1 || s[35] != 0 || s[69] != 1;
}
