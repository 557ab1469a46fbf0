// Correct uses of locks, critical sections, barriers and flags that look like races.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <omp.h>
static int cache[64]; static int ready;
static int lookup(int k) {
    int r;
    #pragma omp critical(cache)
    { if (!ready) { for (int i = 0; i < 64; i++) cache[i] = i * i; ready = 1; } r = cache[k]; }
    return r;
}
void f1(int n, int *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] = lookup(i % 64);
}
typedef struct { omp_lock_t l; int count; int *data; } bucket;
void f2(int n, bucket *b, const int *k) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        bucket *q = &b[k[i] % 16];
        omp_set_lock(&q->l);
        q->data[q->count++] = i;
        omp_unset_lock(&q->l);
    }
}
void f3(int n, double *a, double *b) {
    double diff;
    int it = 0;
    do {
        diff = 0;
        #pragma omp parallel
        {
            #pragma omp for reduction(max: diff)
            for (int i = 1; i < n - 1; i++) { b[i] = (a[i-1] + a[i+1]) / 2; diff = fmax(diff, fabs(b[i] - a[i])); }
            #pragma omp for
            for (int i = 1; i < n - 1; i++) a[i] = b[i];
            #pragma omp single
            it++;
        }
    } while (diff > 1e-6 && it < 100);
}
void f4(int n, double *x) {
    #pragma omp parallel
    {
        double tmp[16];
        memset(tmp, 0, sizeof tmp);
        #pragma omp for schedule(dynamic)
        for (int i = 0; i < n; i++) { for (int j = 0; j < 16; j++) tmp[j] += x[i * 16 + j]; x[i * 16] = tmp[0]; }
    }
}
void f5(int n, int *out) {
    int flag = 0, val = 0;
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            val = n;
            #pragma omp flush
            #pragma omp atomic write
            flag = 1;
        } else {
            int s = 0;
            while (!s) {
                #pragma omp atomic read
                s = flag;
            }
            #pragma omp flush
            out[0] = val;
        }
    }
}
void f6(int n, double *a, double *w) {
    #pragma omp parallel
    {
        int t = omp_get_thread_num(), p = omp_get_num_threads();
        w[t] = 0;
        #pragma omp for
        for (int i = 0; i < n; i++) w[t] += a[i];
        #pragma omp master
        for (int k = 1; k < p; k++) w[0] += w[k];
    }
}
void f7(int n, unsigned char *img, unsigned hist[256]) {
    #pragma omp parallel
    {
        unsigned local[256] = {0};
        #pragma omp for nowait
        for (int i = 0; i < n; i++) local[img[i]]++;
        for (int b = 0; b < 256; b++) {
            #pragma omp atomic
            hist[b] += local[b];
        }
    }
}
void f8(int n, double a[n][n], double *x, double *b) {
    for (int k = 0; k < n; k++) {
        x[k] = b[k] / a[k][k];
        #pragma omp parallel for
        for (int i = k + 1; i < n; i++) b[i] -= a[i][k] * x[k];
    }
    for (int k = 0; k < n - 1; k++)
        #pragma omp parallel for
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];
        }
}
void f9(int n, double *a) {
    int i, j;
    #pragma omp parallel private(i, j)
    for (i = 0; i < 10; i++) {
        #pragma omp for
        for (j = 0; j < n; j++) a[j] += i;
    }
}
void f10(int nx, int ny, double *p, const double *q) {
    #define IDX(i, j) ((i) * (ny) + (j))
    #pragma omp target teams distribute parallel for collapse(2) map(tofrom: p[0:nx*ny]) map(to: q[0:nx*ny])
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            p[IDX(i, j)] = q[IDX(i - 1, j)] + q[IDX(i + 1, j)] + p[IDX(i, j)];
}
void f11(int n, int *a) {
    #pragma omp parallel sections
    {
        #pragma omp section
        { for (int i = 0; i < n / 2; i++) a[i] = 1; }
        #pragma omp section
        { for (int i = n / 2; i < n; i++) a[i] = 2; }
    }
}
void f12(int n, float *a) {
    #pragma omp parallel for
    for (int i = 0; i < n; i += 4) { a[i] = 0; a[i+1] = 1; a[i+2] = 2; a[i+3] = a[i]; }
}
void f13(int n, int *perm, double *a, double *b) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) b[i] = a[perm[i]];
}
int f14(int n, const double *x) {
    int best = 0;
    #pragma omp parallel
    {
        int mine = 0;
        #pragma omp for nowait
        for (int i = 1; i < n; i++) if (x[i] > x[mine]) mine = i;
        #pragma omp critical
        { if (x[mine] > x[best]) best = mine; }
    }
    return best;
}
void f15(int n, double *a) {
    #pragma omp target map(tofrom: a[0:n])
    #pragma omp teams
    {
        double part[32];
        #pragma omp distribute
        for (int i = 0; i < n; i += 32) {
            #pragma omp parallel for
            for (int j = 0; j < 32; j++) part[j] = a[i + j];
            #pragma omp parallel for
            for (int j = 0; j < 32; j++) a[i + j] = part[31 - j];
        }
    }
}
static unsigned seed = 1;
static unsigned next_random(unsigned *s) { *s = *s * 1103515245u + 12345u; return *s; }
void f16(int n, double *a) {
    #pragma omp parallel
    {
        unsigned mine = seed + omp_get_thread_num();
        #pragma omp for
        for (int i = 0; i < n; i++) a[i] = next_random(&mine);
    }
}
void f17(int n, int *a) {
    int done = 0;
    #pragma omp parallel shared(done)
    {
        while (!done) {
            #pragma omp barrier
            #pragma omp single
            { done = a[0] > n; a[0]++; }
        }
    }
}
double *storage(int);
void f18(int m, int n, const double *data, double *mean) {
    double *late;
    #pragma omp parallel private(late)
    {
        double *part = calloc(n, sizeof(double));
        double *other;
        late = storage(n);
        other = malloc(n * sizeof *other);
        #pragma omp for nowait
        for (int i = 0; i < n; i++) late[i] = other[i] = 0;
        #pragma omp for
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) { part[j] += data[i * n + j]; late[j] += 1; other[0] += part[j]; }
        #pragma omp critical(mean)
        for (int j = 0; j < n; j++) mean[j] += part[j] + late[j];
        free(part); free(late); free(other);
    }
}
void f19(int m, int n, const double *data) {
    double *part = malloc(n * sizeof(double));
    #pragma omp for
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) part[j] += data[i * n + j];
    free(part);
}
typedef struct { int size; double *data; } grid;
void fill_in(grid *), give_back(grid *);
static void make(grid *g, int n) { g->size = n; g->data = malloc(n * sizeof(double)); }
void f20(int n, const double *in, double *sum) {
    #pragma omp parallel
    {
        grid mine, other;
        memset(&mine, 0, sizeof mine);
        fill_in(&mine);
        memset(mine.data, 0, n * sizeof(double));
        make(&other, n);
        for (int i = 0; i < n; i++) { mine.data[i] += in[i]; other.data[i] = mine.data[i]; other.data[0] += i; }
        #pragma omp critical(sum)
        *sum += mine.data[0] + other.data[0];
        give_back(&mine); free(other.data);
    }
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        grid mine;
        mine.data = malloc(n * sizeof(double));
        for (int k = 0; k < n; k++) { mine.data[k] = in[i]; mine.data[0] += in[k]; }
        #pragma omp atomic
        *sum += mine.data[0];
        free(mine.data);
    }
}
void f21(int n, double *x) {
    int team = 2;
    omp_set_num_threads(team);
    #pragma omp parallel
    {
        if (omp_get_thread_num() != 0)
            for (int i = 0; i < n; i++) x[i] = x[i] + 1;
    }
}
void f22(int *x) {
    int counts[3] = {0}, size = 0;
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_num_threads() == 1) { counts[omp_get_thread_num()]++; counts[omp_get_thread_num() + 1]++; }
        else counts[omp_get_thread_num()]++;
    }
    #pragma omp parallel
    {
        int team = omp_get_num_threads();
        if (team < 2) { x[0]++; x[1] += counts[0]; }
        else x[omp_get_thread_num()]++;
    }
    #pragma omp target map(tofrom: size)
    #pragma omp teams num_teams(1)
    {
        int mine = omp_get_team_num();
        #pragma omp parallel
        size = omp_get_num_threads() + mine - omp_get_team_num();
    }
    x[2] = size;
}
void f23(int n, int *x) {
    int t;
    #pragma omp parallel private(t)
    #pragma omp single
    #pragma omp taskloop
    for (int i = 0; i < n; i++) { t = x[i]; x[i] = 2 * t; }
}
