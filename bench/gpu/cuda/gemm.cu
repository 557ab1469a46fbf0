// gemm by hand: a thread an element, neighbouring threads in a row.
extern "C" __global__ void gemm(const float *__restrict__ a, const float *__restrict__ b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[(size_t)i * n + k] * b[(size_t)k * n + j];
    c[(size_t)i * n + j] = 1.5f * sum + 0.5f * c[(size_t)i * n + j];
}
