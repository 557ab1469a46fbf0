#include <stdio.h>
#define N 300
int main(void)
{
    int next = 0, pos[N];
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++) {
        int mine;
        #pragma omp atomic capture //@ good
        mine = next++; //@ good
        mine = next; //@ bad // expect: race
        #pragma omp atomic //@ bad
        next++; //@ bad // or-here
        pos[mine] = i; // or-here
    }
    printf("%d %d\n", next, pos[5]);
    return 0;
}
