// Combined with `parallel`: one thread runs the body, whatever the team.
#include <stdio.h>

int main(void)
{
    int sum = 0;
#pragma omp parallel masked num_threads(3)
    sum++;
#pragma omp parallel master
    sum++;
    return sum != 2;
}
