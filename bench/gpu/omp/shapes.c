/* Loops of different shapes, a kernel each, as users write them; by hand they are in cuda/shapes.cu.
 *
 * Nobody runs these: static.py compares what the compiler makes of both.
 */
#include <math.h>
#include <stddef.h>

void map(int n, const float *x, float *y)
{
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(from: y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = sqrtf(x[i]) + 1.0f;
}

void transpose(int n, const float *a, float *b)
{
    #pragma omp target teams distribute parallel for collapse(2) map(to: a[0:n*n]) map(from: b[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[j * n + i] = a[i * n + j];
}

float dot(int n, const float *x, const float *y)
{
    float sum = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(to: x[0:n], y[0:n])
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void count(int n, const unsigned char *data, unsigned *bins)
{
    #pragma omp target teams distribute parallel for map(to: data[0:n]) map(tofrom: bins[0:256])
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        bins[data[i]]++;
    }
}

void triangle(int n, const float *x, const float *y, float *a)
{
    #pragma omp target teams distribute parallel for collapse(2) map(to: x[0:n], y[0:n]) map(tofrom: a[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            a[i * n + j] += x[i] * y[j];
}

void lower(int n, const double *a, const double *x, double *y)
{
    #pragma omp target teams distribute parallel for map(to: a[0:n*n], x[0:n]) map(from: y[0:n])
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j <= i; j++)
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

#define AT(i, j, k) (((i) * ny + (j)) * nz + (k))
void laplace(int nx, int ny, int nz, const double *a, double *b)
{
    #pragma omp target teams distribute parallel for collapse(3) map(to: a[0:nx*ny*nz]) map(tofrom: b[0:nx*ny*nz])
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            for (int k = 1; k < nz - 1; k++)
                b[AT(i, j, k)] = a[AT(i - 1, j, k)] + a[AT(i + 1, j, k)] + a[AT(i, j - 1, k)] + a[AT(i, j + 1, k)] +
                                 a[AT(i, j, k - 1)] + a[AT(i, j, k + 1)] - 6 * a[AT(i, j, k)];
}

struct particles {
    float x[4096], y[4096], z[4096];
    float vx[4096], vy[4096], vz[4096];
};

void move(struct particles *p, float dt)
{
    #pragma omp target teams distribute parallel for map(tofrom: p[0:1])
    for (int i = 0; i < 4096; i++) {
        p->x[i] += dt * p->vx[i];
        p->y[i] += dt * p->vy[i];
        p->z[i] += dt * p->vz[i];
    }
}

void daxpy(long n, double a, const double *x, double *y)
{
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}

#define RADIUS 3
void halo(int n, const float *restrict weights, const float *restrict x, float *restrict y)
{
    #pragma omp target teams distribute parallel for map(to: weights[0:2*RADIUS+1], x[0:n]) map(from: y[0:n])
    for (int i = RADIUS; i < n - RADIUS; i++) {
        float sum = 0;
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += weights[k + RADIUS] * x[i + k];
        y[i] = sum;
    }
}

int largest(int n, const int *x)
{
    int top = x[0];
    #pragma omp target teams distribute parallel for reduction(max: top) map(to: x[0:n])
    for (int i = 0; i < n; i++)
        if (x[i] > top)
            top = x[i];
    return top;
}

void prefix(int n, const float *a, float *b)
{
    #pragma omp target teams distribute parallel for map(to: a[0:n*n]) map(from: b[0:n*n])
    for (int j = 0; j < n; j++) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += a[i * n + j];
            b[i * n + j] = sum;
        }
    }
}

void lu(int n, float *a)
{
    #pragma omp target data map(tofrom: a[0:n*n])
    for (int k = 0; k < n; k++) {
        #pragma omp target teams distribute parallel for
        for (int i = k + 1; i < n; i++)
            a[i * n + k] /= a[k * n + k];
        #pragma omp target teams distribute parallel for collapse(2)
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

/* A team a row: its largest value, then the row divided by it. */
void scale_rows(int n, float *a)
{
    #pragma omp target teams distribute map(tofrom: a[0:n*n])
    for (int i = 0; i < n; i++) {
        float top = 0;
        #pragma omp parallel for reduction(max: top)
        for (int j = 0; j < n; j++)
            top = fmaxf(top, a[i * n + j]);
        #pragma omp parallel for
        for (int j = 0; j < n; j++)
            a[i * n + j] /= top;
    }
}

/* Sums of columns, in an array that every thread adds to. */
void columns(int n, const float *a, float *sums)
{
    float part[8] = {0};
    #pragma omp target teams distribute parallel for reduction(+: part) map(to: a[0:8*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            part[j] += a[i * 8 + j];
    for (int j = 0; j < 8; j++)
        sums[j] = part[j];
}
