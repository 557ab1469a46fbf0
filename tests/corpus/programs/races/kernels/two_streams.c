#include <stdio.h>
#define N 512
static int a[N], b[N], c[N];
int main(void)
{
    #pragma omp target enter data map(to: a, b, c)
    #pragma omp target teams distribute parallel for nowait depend(out: a)
    for (int i = 0; i < N; i++)
        a[i] = i;
    #pragma omp target teams distribute parallel for nowait depend(out: b)
    for (int i = 0; i < N; i++)
        b[i] = 2 * i;
    #pragma omp target teams distribute parallel for nowait depend(in: a, b) depend(out: c) //@ good
    #pragma omp target teams distribute parallel for nowait depend(in: a) depend(out: c) //@ bad // or-here
    #pragma omp target teams distribute parallel for nowait depend(in: b) //@ bad2 // or-here
    for (int i = 0; i < N; i++)
        c[i] = a[i] + b[i]; // expect: race
    #pragma omp target exit data map(from: c) map(release: a, b) depend(in: c) //@ good bad // or-here [bad]
    #pragma omp taskwait //@ bad2
    #pragma omp target exit data map(from: c) map(release: a, b) //@ bad2
    printf("%d\n", c[3]);
    return 0;
}
