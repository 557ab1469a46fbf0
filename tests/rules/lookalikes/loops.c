// Correct loops that look like races: buffers that swap, blocks, chunks by thread, colours, transforms.
#include <stdlib.h>
#include <omp.h>
double *u, *v;
int n;
void swap_loop(int steps) {
    for (int t = 0; t < steps; t++) {
        #pragma omp parallel for
        for (int i = 1; i < n - 1; i++) v[i] = u[i-1] + u[i+1];
        double *tmp = u; u = v; v = tmp;
    }
}
void per_thread(int m, const double *x, double *out) {
    int nt = omp_get_max_threads();
    double *part = calloc(nt * m, sizeof *part);
    #pragma omp parallel
    {
        int me = omp_get_thread_num();
        double *mine = part + me * m;
        #pragma omp for
        for (int i = 0; i < n; i++) mine[i % m] += x[i];
        #pragma omp for
        for (int j = 0; j < m; j++)
            for (int t = 0; t < nt; t++) out[j] += part[t * m + j];
    }
    free(part);
}
void blocks(double *a, int nb, int bs) {
    #pragma omp parallel for
    for (int b = 0; b < nb; b++) {
        int lo = b * bs, hi = lo + bs;
        for (int i = lo; i < hi; i++) a[i] = i;
    }
}
void chunks(double *a) {
    #pragma omp parallel
    {
        int id = omp_get_thread_num(), nt = omp_get_num_threads();
        int lo = id * n / nt, hi = (id + 1) * n / nt;
        for (int i = lo; i < hi; i++) a[i] = a[i] + 1;
    }
}
void cyc(double *a) {
    #pragma omp parallel
    {
        for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads()) a[i] = a[i] + 1;
    }
}
void transpose(double (*a)[100]) {
    #pragma omp parallel for
    for (int i = 0; i < 100; i++)
        for (int j = i + 1; j < 100; j++) { double t = a[i][j]; a[i][j] = a[j][i]; a[j][i] = t; }
}
void redblack(double *a, int c) {
    #pragma omp parallel for
    for (int i = 1 + c; i < n - 1; i += 2) a[i] = 0.5 * (a[i-1] + a[i+1]);
}
void grid(double **g, int h, int w) {
    #pragma omp parallel for collapse(2)
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) g[y][x] += 1;
}
struct particle { double x, v; };
void move(struct particle *p, double dt) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) { struct particle *q = &p[i]; q->x += q->v * dt; }
}
int find(const int *a, int key) {
    int at = -1;
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (a[i] == key) {
            #pragma omp critical
            at = i;
        }
    return at;
}
void fft(double *a, int len) {
    for (int half = 1; half < len; half *= 2) {
        #pragma omp parallel for
        for (int k = 0; k < len / 2; k++) {
            int lo = (k / half) * 2 * half + k % half, hi = lo + half;
            double t = a[hi]; a[hi] = a[lo] - t; a[lo] += t;
        }
    }
}
void scan(int *a, int len) {
    for (int d = 1; d < len; d *= 2) {
        #pragma omp parallel for
        for (int i = 0; i < len; i += 2 * d) a[i + 2 * d - 1] += a[i + d - 1];
    }
}
void csr(int rows, const int *ptr, const int *col, const double *val, const double *x, double *y) {
    #pragma omp parallel for
    for (int r = 0; r < rows; r++) {
        double s = 0;
        for (int k = ptr[r]; k < ptr[r + 1]; k++) s += val[k] * x[col[k]];
        y[r] = s;
    }
}
void stack_alloc(int *out) {
    int next = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int at;
        #pragma omp atomic capture
        at = next++;
        out[at] = i;
    }
}
void gemm(int m, double *a, double *b, double *c, int ld) {
    #pragma omp target teams distribute parallel for collapse(2)
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double s = 0;
            for (int k = 0; k < m; k++) s += a[i * ld + k] * b[k * ld + j];
            c[i * ld + j] += s;
        }
}
void transpose_border(int size, double *a, int ld, double alpha) {
    const int whole = size - size % 16;
    #pragma omp parallel for
    for (int j = 0; j < whole; j++)
        for (int i = whole; i < size; i++) {
            const double t = a[i * ld + j];
            a[i * ld + j] = alpha * a[j * ld + i];
            a[j * ld + i] = alpha * t;
        }
}
void transpose_rest(int whole, int size, double *a, int ld, double alpha) {
    #pragma omp parallel for
    for (int j = 0; j < whole; j++)
        for (int i = whole; i < size; i++) {
            const double t = a[i * ld + j];
            a[i * ld + j] = alpha * a[j * ld + i];
            a[j * ld + i] = alpha * t;
        }
}
