// A taskloop with a shared temporary, and one that nobody waits for.
#include <stdio.h>
#define N 48

int main(void)
{
    int a[N], last = 0, tmp = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop shared(a) shared(tmp) //@ bad
#pragma omp taskloop shared(a) private(tmp) //@ good
#pragma omp taskloop shared(a) nogroup //@ bad2 good2 // or-here
        for (int i = 0; i < N; i++) {
            tmp = 3 * i; //@ bad good // expect: race
            a[i] = tmp; //@ bad good // or-here
            a[i] = 3 * i; //@ bad2 good2 // or-here
        }
#pragma omp taskwait //@ good2
        last = a[N - 1]; // expect: race [bad2]
    }
    printf("%d\n", tmp);
    return last != 3 * (N - 1);
}
