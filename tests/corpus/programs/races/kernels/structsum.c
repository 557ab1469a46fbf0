#include <stdio.h>
typedef struct { double sum, sq; int n; } stats;
stats gather(const double *x, int n)
{
    stats s = {0, 0, 0};
    double sum = 0, sq = 0;
    #pragma omp parallel for reduction(+: sum, sq) //@ good
    #pragma omp parallel for //@ bad // or-here
    #pragma omp parallel for reduction(+: sum) //@ bad2 // or-here
    for (int i = 0; i < n; i++) {
        sum += x[i]; //@ good bad2
        sq += x[i] * x[i]; //@ good bad2 // expect: race [bad2]
        s.sum += x[i]; //@ bad // expect: race [bad]
        #pragma omp atomic //@ bad
        s.sq += x[i] * x[i]; //@ bad
    }
    s.sum += sum;
    s.sq += sq;
    s.n = n;
    return s;
}
int main(void)
{
    double x[100];
    for (int i = 0; i < 100; i++)
        x[i] = i;
    stats s = gather(x, 100);
    printf("%g %g %d\n", s.sum, s.sq, s.n);
    return 0;
}
