#include <stdbool.h>
#include <stdio.h>
#define N 3000
static int hay[N];
int main(void)
{
    bool found = false;
    int first = N;
    hay[77] = 9;
    #pragma omp parallel for reduction(||: found) reduction(min: first) //@ good
    #pragma omp parallel for reduction(||: found) //@ bad // or-here
    for (int i = 0; i < N; i++)
        if (hay[i] == 9) {
            found = true;
            if (i < first) // or-here
                first = i; // expect: race [bad]
        }
    printf("%d %d\n", found, first);
    return 0;
}
