// A counter on the device is reset on the host only.
#include <stdio.h>

int counter;
#pragma omp declare target to(counter)

static void run(int n)
{
#pragma omp target
    for (int i = 0; i < n; i++)
        counter++; // expect: mapping
}

int main(void)
{
    run(10);
#pragma omp target update from(counter)
    printf("%d\n", counter);
    if (counter != 10)
        return 1;
    counter = 0; // or-here
#pragma omp target update to(counter) //@ good
    run(3);
#pragma omp target update from(counter)
    printf("%d\n", counter);
    return counter != 3;
}
