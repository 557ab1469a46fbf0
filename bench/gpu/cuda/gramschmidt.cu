// gramschmidt by hand: three kernels a column.
extern "C" __global__ void column_norm(const float *__restrict__ a, float *r, int n, int k)
{
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[(size_t)i * n + k] * a[(size_t)i * n + k];
    r[(size_t)k * n + k] = sqrtf(sum);
}

extern "C" __global__ void column_scale(const float *__restrict__ a, const float *__restrict__ r, float *q, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[(size_t)i * n + k] = a[(size_t)i * n + k] / r[(size_t)k * n + k];
}

extern "C" __global__ void project(float *a, float *r, const float *__restrict__ q, int n, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    float sum = 0;
    for (int i = 0; i < n; i++) sum += q[(size_t)i * n + k] * a[(size_t)i * n + j];
    r[(size_t)k * n + j] = sum;
    for (int i = 0; i < n; i++) a[(size_t)i * n + j] -= q[(size_t)i * n + k] * sum;
}
