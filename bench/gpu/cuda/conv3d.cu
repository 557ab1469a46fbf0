// 3dconv by hand: a thread a column (j, k), walking along i.
extern "C" __global__ void conv3d(const float *__restrict__ a, float *__restrict__ b, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (j >= n - 1 || k >= n - 1) return;
    for (int i = 1; i < n - 1; i++) {
        const float *at = a + ((size_t)i * n + j) * n + k;
        const float *down = at - (size_t)n * n, *up = at + (size_t)n * n;
        b[((size_t)i * n + j) * n + k] = 2 * down[-n - 1] + 4 * up[-n - 1] + 5 * down[-n + 1] + 7 * up[-n + 1] -
                                         8 * down[n - 1] + 10 * up[n - 1] - 3 * at[-n] + 6 * at[0] - 9 * at[n] +
                                         2 * down[1] + 4 * up[1];
    }
}
