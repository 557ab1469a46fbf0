// A list whose links are indices needs no deep copy.
#include <stdio.h>
#define N 12

struct cell { int value, next; };

int main(void)
{
    struct cell c[N];
    int sum = 0;
    for (int i = 0; i < N; i++) {
        c[i].value = i;
        c[i].next = i + 5 < N ? i + 5 : -1;
    }
#pragma omp target map(to: c) map(tofrom: sum)
    for (int k = 0; k >= 0; k = c[k].next)
        sum += c[k].value;
    return sum != 15;
}
