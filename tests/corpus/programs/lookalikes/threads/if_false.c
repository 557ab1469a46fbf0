// `if(0)`: the parallel region has one thread.
#include <stdio.h>
#include <omp.h>

int main(void)
{
    int n = 0;
#pragma omp parallel if(0)
    {
        n++;
        n += omp_get_num_threads();
    }
    return n != 2;
}
