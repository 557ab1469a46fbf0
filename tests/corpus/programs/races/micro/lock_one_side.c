#include <omp.h>
#include <stdio.h>
static omp_lock_t lock;
static int queue[100], tail;
static void push(int v)
{
    omp_set_lock(&lock); //@ good
    queue[tail++] = v; // expect: race
    omp_unset_lock(&lock); //@ good
}
int main(void)
{
    omp_init_lock(&lock);
    #pragma omp parallel for // or-here
    for (int i = 0; i < 100; i++)
        push(i); // or-here
    printf("%d\n", tail);
    return 0;
}
