#include <omp.h>
#include <stdio.h>
static int ready[4], box[4];
int main(void)
{
    int total = 0;
    #pragma omp parallel num_threads(4) reduction(+: total)
    {
        int me = omp_get_thread_num();
        box[me] = me * me; // or-here
        #pragma omp barrier //@ good
        #pragma omp master //@ bad2
        box[0] = 7; //@ bad2 // or-here
        total += box[(me + 1) % 4]; // expect: race
        ready[me] = 1;
    }
    printf("%d\n", total);
    return 0;
}
