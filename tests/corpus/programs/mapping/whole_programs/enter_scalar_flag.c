// A flag on the device tells the host to stop.
#include <stdio.h>
int main(void)
{
    int done = 0, v[10] = {0}, rounds = 0;
#pragma omp target data map(tofrom: v) map(to: done)
    while (!done && rounds < 50) { // expect: mapping [bad bad2]
#pragma omp target map(tofrom: done)
        {
            for (int i = 0; i < 10; i++)
                v[i]++;
            if (v[0] >= 7)
                done = 1;
        }
#pragma omp target update from(done) //@ good
#pragma omp target update to(done) //@ bad // or-here [bad]
#pragma omp target update from(v) //@ bad2
        rounds++;
    }
    printf("%d\n", rounds);
    return rounds != 7; // expect: mapping [bad2]
}
