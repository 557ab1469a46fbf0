// atax, bicg and mvt by hand: out = start + A in, and out = start + A' in; a thread an element of the result.
extern "C" __global__ void rows(const float *__restrict__ a, const float *__restrict__ in, float *out, int n, int add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = add ? out[i] : 0;
    for (int j = 0; j < n; j++) sum += a[(size_t)i * n + j] * in[j];
    out[i] = sum;
}

extern "C" __global__ void columns(const float *__restrict__ a, const float *__restrict__ in, float *out, int n, int add)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    float sum = add ? out[j] : 0;
    for (int i = 0; i < n; i++) sum += a[(size_t)i * n + j] * in[i];
    out[j] = sum;
}
