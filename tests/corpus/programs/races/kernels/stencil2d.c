#include <math.h>
#include <stdio.h>
#define NX 200
#define NY 300
static double a[NX][NY], b[NX][NY];
double step(void)
{
    double diff = 0;
    #pragma omp target teams distribute parallel for collapse(2) map(to: a) map(from: b) map(tofrom: diff) reduction(max: diff) //@ good
    #pragma omp target teams distribute parallel for collapse(2) map(tofrom: a) map(from: b) map(tofrom: diff) reduction(max: diff) //@ bad // or-here
    #pragma omp target teams distribute parallel for collapse(2) map(to: a) map(from: b) map(tofrom: diff) //@ bad2 // or-here
    for (int i = 1; i < NX - 1; i++)
        for (int j = 1; j < NY - 1; j++) {
            double v = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]); // or-here
            double d = fabs(v - a[i][j]);
            if (d > diff) // or-here
                diff = d; // expect: race [bad2]
            b[i][j] = v; //@ good bad2
            a[i][j] = v; //@ bad // expect: race
        }
    return diff;
}
int main(void)
{
    for (int j = 0; j < NY; j++)
        a[0][j] = 1;
    printf("%g\n", step());
    return 0;
}
