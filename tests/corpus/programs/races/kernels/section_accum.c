#include <stdio.h>
#define N 300
static int v[N], log_[N], used;
static void note(int x)
{
    #pragma omp critical(notes) //@ good
    log_[used++] = x; // expect: race
}
int main(void)
{
    int lo = 0, hi = 0;
    for (int i = 0; i < N; i++)
        v[i] = (i * 31) % 100;
    #pragma omp parallel sections // or-here
    {
        #pragma omp section
        for (int i = 0; i < N; i++)
            if (v[i] < 10) {
                lo++;
                note(i); // or-here
            }
        #pragma omp section
        for (int i = 0; i < N; i++)
            if (v[i] > 90) {
                hi++;
                note(-i); // or-here
            }
    }
    printf("%d %d %d\n", lo, hi, used);
    return 0;
}
