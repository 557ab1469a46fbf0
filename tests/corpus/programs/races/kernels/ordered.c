#include <stdio.h>
#define N 200
static int out[N], pos;
int main(void)
{
    #pragma omp parallel for ordered schedule(dynamic) //@ good bad
    #pragma omp parallel for schedule(dynamic) //@ bad2 // or-here
    for (int i = 0; i < N; i++) {
        int v = i * i % 13;
        if (v > 5) { // or-here
            #pragma omp ordered //@ good
            out[pos++] = v; // expect: race
        }
    }
    printf("%d\n", pos);
    return 0;
}
