#include <stdio.h>
#define N 700
struct best { double value; int at; };
static double cost[N];
int main(void)
{
    struct best b = {1e30, -1};
    for (int i = 0; i < N; i++)
        cost[i] = (i * 37) % 701;
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++) {
        #pragma omp critical //@ good
        if (cost[i] < b.value) { // or-here
            b.value = cost[i]; // expect: race
            b.at = i; // or-here
        }
    }
    printf("%g %d\n", b.value, b.at);
    return 0;
}
