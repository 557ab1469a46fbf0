// An atomic update, and a plain read of the same variable.
#include <stdio.h>

int main(void)
{
    int next = 0, taken[50];
#pragma omp parallel for
    for (int i = 0; i < 50; i++) {
        int mine;
#pragma omp atomic //@ bad
        next++; //@ bad // expect: race
        mine = next; //@ bad // or-here
#pragma omp atomic capture //@ good
        mine = ++next; //@ good
        taken[mine - 1] = i;
    }
    printf("%d\n", taken[0]);
    return next != 50;
}
