// Globals of the device, updated by a helper function.
#include <stdio.h>
#define N 512
#pragma omp declare target
float coef[3];
float data[N];
float result[N];
#pragma omp end declare target
static void setup(void)
{
    coef[0] = 0.25f; coef[1] = 0.5f; coef[2] = 0.25f;
    for (int i = 0; i < N; i++) data[i] = i % 10;
#pragma omp target update to(coef, data) //@ good bad3
#pragma omp target update to(data) //@ bad // expect: mapping [bad]
#pragma omp target update from(coef, data) //@ bad2 // expect: mapping [bad2]
#pragma omp target update to(coef) //@ bad4 // expect: mapping [bad4]
}
static void convolve(void)
{
#pragma omp target teams distribute parallel for // expect: mapping [bad bad2 bad4]
    for (int i = 1; i < N - 1; i++)
        result[i] = coef[0] * data[i - 1] + coef[1] * data[i] + coef[2] * data[i + 1]; // expect: mapping [bad bad2 bad4]
}
int main(void)
{
    setup();
    convolve();
#pragma omp target update from(result) //@ good bad bad2 bad4
    float s = 0;
    for (int i = 1; i < N - 1; i++) s += result[i]; // expect: mapping [bad3]
    printf("%g\n", s);
    return 0;
}
