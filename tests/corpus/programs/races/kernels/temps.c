#include <math.h>
#include <stdio.h>
#define N 2000
static double x[N], y[N], r[N], th[N];
int main(void)
{
    int i;
    double dx, dy, d;
    for (i = 0; i < N; i++)
        x[i] = i, y[i] = N - i;
    #pragma omp parallel for private(dx, dy, d) //@ good
    #pragma omp parallel for private(dx, dy) //@ bad // or-here
    #pragma omp parallel for firstprivate(dx) private(d) //@ bad2 // or-here
    for (i = 0; i < N; i++) {
        dx = x[i] - 1;
        dy = y[i] - 2; // expect: race [bad2]
        d = dx * dx + dy * dy; // expect: race [bad]
        r[i] = sqrt(d); // or-here
        th[i] = atan2(dy, dx); // or-here
    }
    printf("%g %g\n", r[5], th[5]);
    return 0;
}
