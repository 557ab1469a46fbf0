#include <stdio.h>
#define N 1000
static int x[N];
int main(void)
{
    int best = 0;
    for (int i = 0; i < N; i++)
        x[i] = (i * 37) % 1009;
    #pragma omp target teams distribute parallel for map(to: x) map(tofrom: best) //@ bad // or-here
    #pragma omp target parallel for map(to: x) map(tofrom: best) //@ good
    for (int i = 0; i < N; i++) {
        #pragma omp critical // or-here
        if (x[i] > best) // or-here
            best = x[i]; // expect: race
    }
    printf("%d\n", best);
    return 0;
}
