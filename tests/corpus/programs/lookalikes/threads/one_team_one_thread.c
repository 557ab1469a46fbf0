// One team with one thread: nothing runs at the same time.
#include <stdio.h>

int main(void)
{
    int c = 0, d = 0;
#pragma omp target teams num_teams(1) thread_limit(1) map(tofrom: c)
    for (int i = 0; i < 20; i++)
        c += i;
#pragma omp target parallel num_threads(1) map(tofrom: d)
    for (int i = 0; i < 20; i++)
        d += i;
    return c != 190 || d != 190;
}
