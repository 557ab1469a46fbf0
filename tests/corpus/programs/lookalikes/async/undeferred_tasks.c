// if(0) and final tasks run at once.
#include <stdio.h>

int main(void)
{
    int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a) if(0)
        a = 1;
        a += 1;
#pragma omp task shared(b) depend(out: b)
        b = 3;
#pragma omp taskwait depend(in: b)
        b += a;
    }
    return b != 5;
}
