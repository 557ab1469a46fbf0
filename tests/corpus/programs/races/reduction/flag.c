// A flag that says whether any element is negative.
#include <stdio.h>
#define N 77

int main(void)
{
    float v[N];
    int any = 0;
    for (int i = 0; i < N; i++)
        v[i] = (float)(i - 3);
#pragma omp target teams distribute parallel for map(to: v) map(tofrom: any) //@ bad good2
#pragma omp target teams distribute parallel for map(to: v) reduction(||: any) //@ good
    for (int i = 0; i < N; i++)
        any = any || v[i] < 0.0f; //@ bad good // expect: race
        if (v[i] < 0.0f) //@ good2
#pragma omp atomic write //@ good2
            any = 1; //@ good2
    return !any;
}
