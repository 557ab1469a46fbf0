// Conjugate gradients on a tridiagonal matrix; vectors live on the device during the solve.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int n;
    double *x, *r, *p, *q;
} solver_t;

static void solver_init(solver_t *s, int n, const double *b)
{
    s->n = n;
    s->x = calloc(n, sizeof(double));
    s->r = malloc(n * sizeof(double));
    s->p = malloc(n * sizeof(double));
    s->q = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        s->r[i] = s->p[i] = b[i];
}

static void apply(int n, const double *p, double *q)
{
#pragma omp target teams distribute parallel for map(to: p[0:n]) map(from: q[0:n])
    for (int i = 0; i < n; i++) {
        double left = i > 0 ? p[i - 1] : 0.0, right = i < n - 1 ? p[i + 1] : 0.0;
        q[i] = 4.0 * p[i] - left - right;
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
#pragma omp target teams distribute parallel for map(to: a[0:n], b[0:n]) map(tofrom: sum) reduction(+: sum)
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void axpy(int n, double alpha, const double *x, double *y)
{
#pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

static void solve(solver_t *s, int steps)
{
    int n = s->n;
    double *x = s->x, *r = s->r, *p = s->p, *q = s->q;
#pragma omp target enter data map(to: x[0:n], r[0:n], p[0:n]) map(alloc: q[0:n]) //@ good bad
#pragma omp target enter data map(to: r[0:n], p[0:n]) map(alloc: q[0:n], x[0:n]) //@ bad2 // or-here [bad2]
    double rho = dot(n, r, r);
    for (int k = 0; k < steps && rho > 1e-20; k++) {
        apply(n, p, q);
        double alpha = rho / dot(n, p, q);
        axpy(n, alpha, p, x); // expect: mapping [bad2]
        axpy(n, -alpha, q, r);
        double next = dot(n, r, r), beta = next / rho;
#pragma omp target teams distribute parallel for map(to: r[0:n]) map(tofrom: p[0:n])
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
        rho = next;
    }
#pragma omp target exit data map(from: x[0:n]) map(delete: r[0:n], p[0:n], q[0:n]) //@ good bad2
#pragma omp target exit data map(delete: x[0:n], r[0:n], p[0:n], q[0:n]) //@ bad // or-here [bad]
}

int main(void)
{
    enum { N = 200 };
    double b[N];
    for (int i = 0; i < N; i++)
        b[i] = 1.0 + i % 3;
    solver_t s;
    solver_init(&s, N, b);
    solve(&s, 60);
    double worst = 0.0;
    for (int i = 0; i < N; i++) {
        double ax = 4.0 * s.x[i] - (i ? s.x[i - 1] : 0.0) - (i < N - 1 ? s.x[i + 1] : 0.0); // expect: mapping [bad]
        worst = fmax(worst, fabs(ax - b[i]));
    }
    free(s.x);
    free(s.r);
    free(s.p);
    free(s.q);
    printf("%g\n", worst);
    return !(worst < 1e-6);
}
