// A library routine that wants device pointers, called inside target data.
#include <stdlib.h>

static void lib_saxpy(int n, float a, const float *x, float *y)
{
#pragma omp target teams distribute parallel for is_device_ptr(x, y) // or-here [bad bad3]
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

int main(void)
{
    int n = 300;
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (int i = 0; i < n; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
#pragma omp target data map(to: x[0:n]) map(tofrom: y[0:n]) //@ good bad bad3
#pragma omp target data map(to: x[0:n], y[0:n]) //@ bad2 // or-here [bad2]
    {
#pragma omp target data use_device_ptr(x, y) //@ good bad2
#pragma omp target data use_device_ptr(x) //@ bad // or-here [bad]
        { //@ good bad bad2
            lib_saxpy(n, 2.0f, x, y); //@ good bad bad2 // expect: mapping [bad bad3]
        } //@ good bad bad2
        lib_saxpy(n, 2.0f, x, y); //@ bad3 // expect: mapping [bad3]
    }
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad |= y[i] != 1.0f + 2.0f * i; // expect: mapping [bad2]
    free(x);
    free(y);
    return bad;
}
