// The kernels of omp/shapes.c and of examples/ by hand: the same algorithms, a thread an iteration where there are
// enough threads.  Sizes that are constants there are constants here.

// --- what blocks do together ------------------------------------------------------------------------------------

struct sum_of {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct most_of {
    template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

// In the first warp: the joined value of all threads of the block.
template <typename T, typename Join> static __device__ T block_joined(T value, T nothing, Join join)
{
    __shared__ T parts[32];
    for (int offset = 16; offset > 0; offset /= 2) value = join(value, __shfl_down_sync(0xffffffffu, value, offset));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x >= 32) return nothing;
    value = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : nothing;
    for (int offset = 16; offset > 0; offset /= 2) value = join(value, __shfl_down_sync(0xffffffffu, value, offset));
    return value;
}

// `*target = join(*target, value)` for doubles, where the GPU has no such atomic.
template <typename Join> static __device__ void atomic_joined(double *target, double value, Join join)
{
    unsigned long long *bits = (unsigned long long *)target, seen = *bits, expected;
    do {
        expected = seen;
        seen = atomicCAS(bits, expected, __double_as_longlong(join(__longlong_as_double(expected), value)));
    } while (seen != expected);
}

static __device__ void add(double *target, double value)
{
#if __CUDA_ARCH__ >= 600
    atomicAdd(target, value);
#else
    atomic_joined(target, value, sum_of());
#endif
}

// --- omp/shapes.c -----------------------------------------------------------------------------------------------
extern "C" __global__ void map(const float *__restrict__ x, float *__restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sqrtf(x[i]) + 1.0f;
}

extern "C" __global__ void transpose(const float *__restrict__ a, float *__restrict__ b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) b[j * n + i] = a[i * n + j];
}

extern "C" __global__ void dot(const float *__restrict__ x, const float *__restrict__ y, float *result, int n)
{
    const int stride = gridDim.x * blockDim.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) sum += x[i] * y[i];
    sum = block_joined(sum, 0.0f, sum_of());
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

extern "C" __global__ void count(const unsigned char *__restrict__ data, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}

extern "C" __global__ void triangle(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ a, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j <= i) a[i * n + j] += x[i] * y[j];
}

extern "C" __global__ void lower(const double *__restrict__ a, const double *__restrict__ x, double *__restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int j = 0; j <= i; j++) sum += a[i * n + j] * x[j];
    y[i] = sum;
}

#define CELL(i, j, k) (((i) * ny + (j)) * nz + (k))
extern "C" __global__ void laplace(const double *__restrict__ a, double *__restrict__ b, int nx, int ny, int nz)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int i = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
    b[CELL(i, j, k)] = a[CELL(i - 1, j, k)] + a[CELL(i + 1, j, k)] + a[CELL(i, j - 1, k)] + a[CELL(i, j + 1, k)] +
                     a[CELL(i, j, k - 1)] + a[CELL(i, j, k + 1)] - 6 * a[CELL(i, j, k)];
}

struct particles {
    float x[4096], y[4096], z[4096];
    float vx[4096], vy[4096], vz[4096];
};

extern "C" __global__ void move(struct particles *p, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 4096) return;
    p->x[i] += dt * p->vx[i];
    p->y[i] += dt * p->vy[i];
    p->z[i] += dt * p->vz[i];
}

extern "C" __global__ void daxpy(const double *__restrict__ x, double *__restrict__ y, double a, long n)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

#define RADIUS 3
extern "C" __global__ void halo(const float *__restrict__ weights, const float *__restrict__ x, float *__restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + RADIUS;
    if (i >= n - RADIUS) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += weights[k + RADIUS] * x[i + k];
    y[i] = sum;
}

extern "C" __global__ void largest(const int *__restrict__ x, int *result, int n)
{
    const int least = -2147483647 - 1, stride = gridDim.x * blockDim.x;
    int top = least;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        if (x[i] > top) top = x[i];
    top = block_joined(top, least, most_of());
    if (threadIdx.x == 0) atomicMax(result, top);
}

extern "C" __global__ void prefix(const float *__restrict__ a, float *__restrict__ b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i * n + j];
        b[i * n + j] = sum;
    }
}

extern "C" __global__ void lu_column(float *a, int n, int k)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * n + k] /= a[k * n + k];
}

extern "C" __global__ void lu_rest(float *a, int n, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

// A block a row.
extern "C" __global__ void scale_rows(float *a, int n)
{
    __shared__ float shared_top;
    int i = blockIdx.x;
    float top = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) top = fmaxf(top, a[i * n + j]);
    top = block_joined(top, 0.0f, most_of());
    if (threadIdx.x == 0) shared_top = top;
    __syncthreads();
    top = shared_top;
    for (int j = threadIdx.x; j < n; j += blockDim.x) a[i * n + j] /= top;
}

extern "C" __global__ void columns(const float *__restrict__ a, float *sums, int n)
{
    __shared__ float block[8];
    if (threadIdx.x < 8) block[threadIdx.x] = 0;
    __syncthreads();
    const int stride = gridDim.x * blockDim.x;
    float part[8] = {0};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        for (int j = 0; j < 8; j++) part[j] += a[i * 8 + j];
    for (int j = 0; j < 8; j++) {
        float sum = part[j];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (threadIdx.x % 32 == 0) atomicAdd(&block[j], sum);
    }
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&sums[threadIdx.x], block[threadIdx.x]);
}

// --- examples/ --------------------------------------------------------------------------------------------------
struct body {
    double mass;
    double position[3];
    double energy;
};
__device__ double gravity = 9.81;
__device__ int evaluations = 0;

extern "C" __global__ void evaluate(struct body *bodies)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2000) return;
    bodies[i].energy = bodies[i].mass * gravity * bodies[i].position[2];
    atomicAdd(&evaluations, 1);
}

extern "C" __global__ void dot_devices(const double *__restrict__ x, const double *__restrict__ y, double *result, int first)
{
    const int stride = gridDim.x * blockDim.x;
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 10000; i += stride)
        sum += x[first + i] * y[first + i];
    sum = block_joined(sum, 0.0, sum_of());
    if (threadIdx.x == 0) add(result, sum);
}

extern "C" __global__ void histogram(const unsigned char *__restrict__ data, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[data[i] * 32 / 256], 1u);
}

#define ROWS 66
#define COLS 130
#define AT(i, j) ((i) * COLS + (j))
extern "C" __global__ void jacobi(const double *__restrict__ now, double *__restrict__ next, double *change)
{
    // Blocks of 32 by 8 threads.
    __shared__ double parts[8];
    int j = 1 + blockIdx.x * blockDim.x + threadIdx.x, i = 1 + blockIdx.y * blockDim.y + threadIdx.y;
    double most = 0;
    if (i < ROWS - 1 && j < COLS - 1) {
        double mean = 0.25 * (now[AT(i - 1, j)] + now[AT(i + 1, j)] + now[AT(i, j - 1)] + now[AT(i, j + 1)]);
        next[AT(i, j)] = mean;
        most = fabs(mean - now[AT(i, j)]);
    }
    for (int offset = 16; offset > 0; offset /= 2) most = fmax(most, __shfl_down_sync(0xffffffffu, most, offset));
    if (threadIdx.x == 0) parts[threadIdx.y] = most;
    __syncthreads();
    if (threadIdx.x > 0 || threadIdx.y > 0) return;
    for (int k = 1; k < 8; k++) most = fmax(most, parts[k]);
    atomic_joined(change, most, most_of());
}

// One block, as the region has one team.
extern "C" __global__ void master_worker(long *__restrict__ values, long *__restrict__ sums)
{
    __shared__ unsigned long long partial[4], total;
    long scale = 1;
    for (int round = 0; round < 3; round++) {
        scale = 2 * scale + round;
        if (threadIdx.x < 4) partial[threadIdx.x] = 0;
        if (threadIdx.x < 40)
            for (int i = threadIdx.x; i < 1024; i += 40) values[i] = values[i] % 1000 + scale;
        __syncthreads();
        long sum = 0;
        for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
            sum += values[i];
            atomicAdd(&partial[i % 4], (unsigned long long)values[i]);
        }
        sum = block_joined(sum, 0L, sum_of());
        if (threadIdx.x == 0) total = sum;
        __syncthreads();
        if (threadIdx.x == 0)
            sums[round] = total == partial[0] + partial[1] + partial[2] + partial[3] ? (long)total : -1;
        __syncthreads();
    }
}

#define N 96
typedef double row[N];
extern "C" __global__ void matmul(const row *__restrict__ a, const row *__restrict__ b, row *__restrict__ c)
{
    const int stride = gridDim.x * blockDim.x;
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < N * N; at += stride) {
        int i = at / N, j = at % N;
        double sum = 0;
        for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
        c[i][j] = sum;
    }
}

extern "C" __global__ void pipeline(double *block)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 65536) block[i] = block[i] * block[i] + 1;
}

extern "C" __global__ void saxpy(const float *__restrict__ x, float *__restrict__ y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void sum(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 100000) sum[i] = a[i] + b[i];
}

extern "C" __global__ void doubled(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ doubled)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 100000) doubled[i] = 2 * (a[i] + b[i]);
}
