// `single nowait` has no barrier at its end.
#include <stdio.h>
#include <omp.h>

int main(void)
{
    double scale = 1.0, out[4] = { 0 };
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait //@ bad // or-here
#pragma omp single //@ good
        scale = 3.0; // expect: race
        out[omp_get_thread_num()] = scale; // or-here
    }
    return out[0] != 3.0;
}
