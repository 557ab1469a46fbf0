// A pointer into the part that is mapped through a struct's member; negative indices stay inside.
#include <stdio.h>

struct view { int n; int *at; };

int main(void)
{
    int u[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, sum = 0;
    struct view s = { 5, u + 3 };
    int *v = u + 4;
#pragma omp target enter data map(to: s.n, s.at, s.at[0:5])
#pragma omp target map(tofrom: sum)
    {
        sum = v[-1] + v[0] + v[3];
        v[3] = 70;
    }
#pragma omp target update from(s.at[0:5])
#pragma omp target exit data map(release: s.n, s.at, s.at[0:5])
    return sum != 14 || u[7] != 70;
}
