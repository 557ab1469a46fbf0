// Coefficients in globals of the device, set at run time.
#include <stdio.h>
#define ORDER 4

#pragma omp declare target
double coefficient[ORDER + 1];
int order = 0;
#pragma omp end declare target

static void set(const double *c, int n)
{
    order = n;
    for (int i = 0; i <= n; i++)
        coefficient[i] = c[i];
#pragma omp target update to(coefficient, order) //@ good bad2
#pragma omp target update to(coefficient) //@ bad // or-here [bad]
}

static void evaluate(const double *x, double *y, int n)
{
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n]) //@ good bad
#pragma omp target teams distribute parallel for map(to: x[0:n], y[0:n]) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < n; i++) {
        double v = 0;
        for (int k = order; k >= 0; k--) // expect: mapping [bad]
            v = v * x[i] + coefficient[k];
        y[i] = v; // or-here [bad2]
    }
}

int main(void)
{
    double c[] = {1, 2, 3}, x[] = {0, 1, 2, 3}, y[4];
    set(c, 2);
    evaluate(x, y, 4); // or-here [bad]
    printf("%g\n", y[3]);
    return y[0] != 1 || y[1] != 6 || y[2] != 17 || y[3] != 34; // or-here [bad2]
}
