#include <stdio.h>
#define N 500
static int next_id(void)
{
    static int id;
    int r;
    #pragma omp atomic capture //@ good
    r = id++; //@ good
    r = id++; //@ bad // expect: race
    return r;
}
static double scratch_norm(double x, double y)
{
    static double tmp[2]; //@ bad2
    double tmp[2]; //@ good bad
    tmp[0] = x * x; // expect: race [bad2]
    tmp[1] = y * y; // or-here
    return tmp[0] + tmp[1]; // or-here
}
int main(void)
{
    static int ids[N];
    static double r[N];
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++) {
        ids[i] = next_id();
        r[i] = scratch_norm(i, i + 1);
    }
    printf("%d %g\n", ids[3], r[3]);
    return 0;
}
