// One section updates the array that the other one's kernel works on.
#include <stdio.h>
#define N 100

int main(void)
{
    int a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i;
#pragma omp target data map(tofrom: a, b)
    {
#pragma omp parallel sections num_threads(2)
        {
#pragma omp section
            {
#pragma omp target // or-here
                for (int i = 0; i < N; i++)
                    a[i] += 1; // or-here
            }
#pragma omp section
            {
#pragma omp target update from(a) //@ bad // expect: race
#pragma omp target update from(b) //@ good
            }
        }
    }
    return a[0] != 1;
}
