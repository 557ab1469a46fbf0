// The kernels of omp/kernels.c by hand.

extern "C" __global__ void heat5(int n, int m, float c, const float *__restrict__ a, float *__restrict__ b)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i >= n - 1 || j >= m - 1) return;
    b[i * m + j] = a[i * m + j] + c * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1] - 4.0f * a[i * m + j]);
}

extern "C" __global__ void stencil7(int nx, int ny, int nz, double c0, double c1, const double *__restrict__ a, double *__restrict__ b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    size_t p = ((size_t)z * ny + y) * nx + x, sy = nx, sz = (size_t)nx * ny;
    b[p] = c0 * a[p] + c1 * (a[p - sz] + a[p + sz] + a[p - sy] + a[p + sy] + a[p - 1] + a[p + 1]);
}

extern "C" __global__ void spmv(int n, const int *__restrict__ row, const int *__restrict__ col, const double *__restrict__ val, const double *__restrict__ x, double *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double s = 0;
    int e = row[i + 1];
    for (int k = row[i]; k < e; k++) s += val[k] * x[col[k]];
    y[i] = s;
}

extern "C" __global__ void histo(int n, const unsigned char *__restrict__ d, unsigned *__restrict__ h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&h[d[i]], 1u);
}

extern "C" __global__ void dotf(int n, const float *__restrict__ x, const float *__restrict__ y, float *out)
{
    __shared__ float part[32];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i] * y[i];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
        if (threadIdx.x == 0) atomicAdd(out, s);
    }
}

extern "C" __global__ void small_gemm(int batch, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= batch) return;
    a += 16 * k, b += 16 * k, c += 16 * k;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float s = 0;
#pragma unroll
            for (int l = 0; l < 4; l++) s += a[4 * i + l] * b[4 * l + j];
            c[4 * i + j] = s;
        }
}

extern "C" __global__ void nbody(int n, const float4 *__restrict__ p, float *__restrict__ ax, float *__restrict__ ay, float *__restrict__ az)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = p[i];
    float x = 0, y = 0, z = 0;
    for (int j = 0; j < n; j++) {
        float4 o = p[j];
        float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
        float r = dx * dx + dy * dy + dz * dz + 1e-6f;
        float w = 1.0f / sqrtf(r);
        float f = o.w * w * w * w;
        x += f * dx, y += f * dy, z += f * dz;
    }
    ax[i] = x, ay[i] = y, az[i] = z;
}

extern "C" __global__ void scan(int n, float *a, float *b)
{
    float *src = a, *dst = b;
    for (int d = 1; d < n; d *= 2) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) dst[i] = i >= d ? src[i] + src[i - d] : src[i];
        __syncthreads();
        float *t = src;
        src = dst, dst = t;
    }
    if (src != a)
        for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = src[i];
}

extern "C" __global__ void syrk_lower(int n, int m, const float *__restrict__ a, float *__restrict__ c)
{
    for (int i = blockIdx.x; i < n; i += gridDim.x)
        for (int j = threadIdx.x; j <= i; j += blockDim.x) {
            float s = 0;
            for (int k = 0; k < m; k++) s += a[i * m + k] * a[j * m + k];
            c[i * n + j] += s;
        }
}

extern "C" __global__ void conv5(int h, int w, const float *__restrict__ in, const float *__restrict__ k, float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int yy = y + dy < 0 ? 0 : y + dy >= h ? h - 1 : y + dy;
            int xx = x + dx < 0 ? 0 : x + dx >= w ? w - 1 : x + dx;
            s += in[yy * w + xx] * k[(dy + 2) * 5 + dx + 2];
        }
    out[y * w + x] = s;
}

static __device__ float cnd(float d)
{
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228040143267f * expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    return d > 0 ? 1.0f - c : c;
}

extern "C" __global__ void black(int n, const float *__restrict__ s, const float *__restrict__ x, const float *__restrict__ t, float r, float v, float *__restrict__ call, float *__restrict__ put)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float q = sqrtf(t[i]);
    float d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * q);
    float d2 = d1 - v * q;
    float n1 = cnd(d1), n2 = cnd(d2), e = expf(-r * t[i]);
    call[i] = s[i] * n1 - x[i] * e * n2;
    put[i] = x[i] * e * (1.0f - n2) - s[i] * (1.0f - n1);
}

extern "C" __global__ void mandel(int h, int w, int most, int *__restrict__ out)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= h * w) return;
    float cx = -2.0f + 3.0f * (p % w) / w, cy = -1.0f + 2.0f * (p / w) / h, x = 0, y = 0;
    int k = 0;
    while (k < most && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy, x = t;
        k++;
    }
    out[p] = k;
}

extern "C" __global__ void rowmax(int n, int m, const float *__restrict__ a, float *__restrict__ best, int *__restrict__ where)
{
    __shared__ float part[32];
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        float top = a[i * m];
        for (int j = threadIdx.x; j < m; j += blockDim.x)
            if (a[i * m + j] > top) top = a[i * m + j];
        for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_down_sync(~0u, top, d));
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
        __syncthreads();
        if (threadIdx.x < 32) {
            top = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : top;
            for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_down_sync(~0u, top, d));
            if (threadIdx.x == 0) best[i] = top, where[i] = i;
        }
        __syncthreads();
    }
}

extern "C" __global__ void tri(int n, float *a)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n && j > i) a[i * n + j] = a[j * n + i];
}

extern "C" __global__ void step(int n, int steps, double *__restrict__ x, const double *__restrict__ w, double dt)
{
    for (int s = 0; s < steps; s++) {
        double scale = dt / (1 + s);
        for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += scale * w[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double e = 0;
        for (int i = 0; i < 4; i++) e += x[i];
        x[0] = e;
    }
}
