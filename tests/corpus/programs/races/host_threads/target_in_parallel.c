// Every thread of the host maps and writes the same array.
#include <stdio.h>
#include <omp.h>
#define N 16

int main(void)
{
    int a[4][N], shared_row[N];
    for (int i = 0; i < N; i++)
        shared_row[i] = 0;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(4)
    {
        int t = omp_get_thread_num();
        int *mine = a[t];
#pragma omp target map(tofrom: shared_row) //@ bad // expect: race
#pragma omp target map(from: mine[0:N]) //@ good
        for (int i = 0; i < N; i++)
            shared_row[i] += t; //@ bad // or-here
            mine[i] = t; //@ good
    }
    return shared_row[0] != 0 || a[0][3] != 0;
}
