/* Loops of many programs, for static.py: cuda/kernels.cu has the same by hand. */

#include <math.h>

/* A step of the heat equation on a plane. */
void heat5(int n, int m, float c, const float *a, float *b)
{
#pragma omp target teams distribute parallel for collapse(2) map(to: a[0 : n * m]) map(tofrom: b[0 : n * m])
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            b[i * m + j] = a[i * m + j] + c * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1] - 4.0f * a[i * m + j]);
}

/* Seven points of a box whose extents are parameters. */
void stencil7(int nx, int ny, int nz, double c0, double c1, double a[nz][ny][nx], double b[nz][ny][nx])
{
#pragma omp target teams distribute parallel for collapse(3) map(to: a[0 : nz][0 : ny][0 : nx]) map(tofrom: b[0 : nz][0 : ny][0 : nx])
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++)
                b[z][y][x] = c0 * a[z][y][x] + c1 * (a[z - 1][y][x] + a[z + 1][y][x] + a[z][y - 1][x] + a[z][y + 1][x] + a[z][y][x - 1] + a[z][y][x + 1]);
}

/* A sparse matrix, by rows, times a vector. */
void spmv(int n, const int *row, const int *col, const double *val, const double *x, double *y)
{
#pragma omp target teams distribute parallel for map(to: row[0 : n + 1], col[0 : row[n]], val[0 : row[n]], x[0 : n]) map(from: y[0 : n])
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = row[i]; k < row[i + 1]; k++)
            s += val[k] * x[col[k]];
        y[i] = s;
    }
}

/* Bytes by value, in global memory. */
void histo(int n, const unsigned char *d, unsigned *h)
{
#pragma omp target teams distribute parallel for map(to: d[0 : n]) map(tofrom: h[0 : 256])
    for (int i = 0; i < n; i++) {
#pragma omp atomic
        h[d[i]]++;
    }
}

/* A dot product. */
float dotf(int n, const float *x, const float *y)
{
    float s = 0;
#pragma omp target teams distribute parallel for reduction(+: s) map(to: x[0 : n], y[0 : n]) map(tofrom: s)
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

/* Many products of 4 by 4 matrices, one a thread. */
void small_gemm(int batch, const float *a, const float *b, float *c)
{
#pragma omp target teams distribute parallel for map(to: a[0 : 16 * batch], b[0 : 16 * batch]) map(from: c[0 : 16 * batch])
    for (int k = 0; k < batch; k++) {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                float s = 0;
                for (int l = 0; l < 4; l++)
                    s += a[16 * k + 4 * i + l] * b[16 * k + 4 * l + j];
                c[16 * k + 4 * i + j] = s;
            }
    }
}

struct body { float x, y, z, m; } __attribute__((aligned(16)));
/* Forces between all pairs of bodies, in structures of four numbers. */
void nbody(int n, const struct body *p, float *ax, float *ay, float *az)
{
#pragma omp target teams distribute parallel for map(to: p[0 : n]) map(from: ax[0 : n], ay[0 : n], az[0 : n])
    for (int i = 0; i < n; i++) {
        float x = 0, y = 0, z = 0;
        for (int j = 0; j < n; j++) {
            float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            float r = dx * dx + dy * dy + dz * dz + 1e-6f;
            float w = 1.0f / sqrtf(r);
            float f = p[j].m * w * w * w;
            x += f * dx, y += f * dy, z += f * dz;
        }
        ax[i] = x, ay[i] = y, az[i] = z;
    }
}

/* Prefix sums by one team: sequential steps, which swap two pointers, around a parallel loop. */
void scan(int n, float *a, float *b)
{
#pragma omp target map(tofrom: a[0 : n]) map(alloc: b[0 : n])
    {
        float *src = a, *dst = b;
        for (int d = 1; d < n; d *= 2) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                dst[i] = i >= d ? src[i] + src[i - d] : src[i];
            float *t = src;
            src = dst, dst = t;
        }
        if (src != a) {
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                a[i] = src[i];
        }
    }
}

/* The lower half of a matrix times its transposed; a team a row. */
void syrk_lower(int n, int m, const float *a, float *c)
{
#pragma omp target teams distribute map(to: a[0 : n * m]) map(tofrom: c[0 : n * n])
    for (int i = 0; i < n; i++) {
#pragma omp parallel for
        for (int j = 0; j <= i; j++) {
            float s = 0;
            for (int k = 0; k < m; k++)
                s += a[i * m + k] * a[j * m + k];
            c[i * n + j] += s;
        }
    }
}

/* Five by five points, clamped at the borders. */
void conv5(int h, int w, const float *in, const float *k, float *out)
{
#pragma omp target teams distribute parallel for collapse(2) map(to: in[0 : h * w], k[0 : 25]) map(from: out[0 : h * w])
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float s = 0;
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++) {
                    int yy = y + dy < 0 ? 0 : y + dy >= h ? h - 1 : y + dy;
                    int xx = x + dx < 0 ? 0 : x + dx >= w ? w - 1 : x + dx;
                    s += in[yy * w + xx] * k[(dy + 2) * 5 + dx + 2];
                }
            out[y * w + x] = s;
        }
}

static float cnd(float d)
{
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228040143267f * expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    return d > 0 ? 1.0f - c : c;
}
/* Prices of options: functions of the library. */
void black(int n, const float *s, const float *x, const float *t, float r, float v, float *call, float *put)
{
#pragma omp target teams distribute parallel for map(to: s[0 : n], x[0 : n], t[0 : n]) map(from: call[0 : n], put[0 : n])
    for (int i = 0; i < n; i++) {
        float q = sqrtf(t[i]);
        float d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * q);
        float d2 = d1 - v * q;
        float n1 = cnd(d1), n2 = cnd(d2), e = expf(-r * t[i]);
        call[i] = s[i] * n1 - x[i] * e * n2;
        put[i] = x[i] * e * (1.0f - n2) - s[i] * (1.0f - n1);
    }
}

/* Loops of very different lengths. */
void mandel(int h, int w, int most, int *out)
{
#pragma omp target teams distribute parallel for schedule(static, 1) map(from: out[0 : h * w])
    for (int p = 0; p < h * w; p++) {
        float cx = -2.0f + 3.0f * (p % w) / w, cy = -1.0f + 2.0f * (p / w) / h, x = 0, y = 0;
        int k = 0;
        while (k < most && x * x + y * y < 4.0f) {
            float t = x * x - y * y + cx;
            y = 2 * x * y + cy, x = t;
            k++;
        }
        out[p] = k;
    }
}

/* The largest value of each row; a team a row. */
void rowmax(int n, int m, const float *a, float *best, int *where)
{
#pragma omp target teams distribute map(to: a[0 : n * m]) map(from: best[0 : n], where[0 : n])
    for (int i = 0; i < n; i++) {
        float top = a[i * m];
#pragma omp parallel for reduction(max: top)
        for (int j = 0; j < m; j++)
            if (a[i * m + j] > top) top = a[i * m + j];
        best[i] = top;
        where[i] = i;
    }
}

/* The upper half of a matrix becomes its lower one. */
void tri(int n, float *a)
{
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: a[0 : n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (j > i) a[i * n + j] = a[j * n + i];
}

/* Sequential steps around a parallel loop, then a few sequential sums. */
void step(int n, int steps, double *x, const double *w, double dt)
{
#pragma omp target map(tofrom: x[0 : n]) map(to: w[0 : n])
    {
        double e = 0;
        for (int s = 0; s < steps; s++) {
            double scale = dt / (1 + s);
#pragma omp parallel for
            for (int i = 0; i < n; i++)
                x[i] += scale * w[i];
        }
        for (int i = 0; i < 4; i++) e += x[i];
        x[0] = e;
    }
}
