// A flag that is read atomically and written plainly.
#include <stdio.h>
#define N 100

int main(void)
{
    int found = 0, v[N];
    for (int i = 0; i < N; i++)
        v[i] = i;
#pragma omp target teams distribute parallel for map(to: v) map(tofrom: found)
    for (int i = 0; i < N; i++) {
        int seen;
#pragma omp atomic read
        seen = found; // or-here
        if (!seen && v[i] == 77) {
#pragma omp atomic write //@ good
            found = 1; // expect: race
        }
    }
    return found != 1;
}
