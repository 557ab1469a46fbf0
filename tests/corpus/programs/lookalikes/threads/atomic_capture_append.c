// Slots are handed out by an atomic capture.
#include <stdio.h>
#define N 90

int main(void)
{
    int v[N], kept[N], used = 0, sum = 0;
    for (int i = 0; i < N; i++)
        v[i] = i;
#pragma omp target teams distribute parallel for map(to: v) map(tofrom: kept, used)
    for (int i = 0; i < N; i++)
        if (v[i] % 9 == 0) {
            int at;
#pragma omp atomic capture
            at = used++;
            kept[at] = v[i];
        }
    for (int k = 0; k < used; k++)
        sum += kept[k];
    return used != 10 || sum != 405;
}
