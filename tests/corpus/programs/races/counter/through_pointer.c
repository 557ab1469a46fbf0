// The counter is reached through a pointer parameter.
#include <stdio.h>

static void count_even(const int *v, int n, int *count)
{
#pragma omp target teams distribute parallel for map(to: v[0:n]) map(tofrom: count[0:1])
    for (int i = 0; i < n; i++)
        if (v[i] % 2 == 0) {
#pragma omp atomic update //@ good
            *count += 1; // expect: race
        }
}

int main(void)
{
    int v[100], c = 0;
    for (int i = 0; i < 100; i++)
        v[i] = i;
    count_even(v, 100, &c);
    printf("%d\n", c);
    return c != 50;
}
