// Shuffles, votes and __syncwarp; hand-written CUDA, no device library.

// out[kind*128 + thread], blocks of up to 128 threads in whole warps.
extern "C" __global__ void shuffles(int *out, int width, int amount)
{
    const int t = threadIdx.x;
    out[t] = __shfl_sync(0xffffffffu, t, amount, width);
    out[128 + t] = __shfl_up_sync(0xffffffffu, t, amount, width);
    out[256 + t] = __shfl_down_sync(0xffffffffu, t, amount, width);
    out[384 + t] = __shfl_xor_sync(0xffffffffu, t, amount, width);
}

extern "C" __global__ void votes(unsigned *out)
{
    const int t = threadIdx.x;
    const unsigned all = 0xffffffffu;
    out[4 * t] = __ballot_sync(all, t % 3 == 0);
    out[4 * t + 1] = __any_sync(all, t == 40) * 2 + __all_sync(all, t < 40);
    out[4 * t + 2] = __match_any_sync(all, t / 5);
    double wide = __shfl_sync(all, t * 1.5, 31);
    out[4 * t + 3] = unsigned(wide * 2);
}

// Different halves of a warp take different ways at the same time.
extern "C" __global__ void halves(int *out)
{
    const int t = threadIdx.x;
    int value = t;
    if (t % 32 < 16) {
        for (int i = 0; i < 3; ++i) value += __shfl_xor_sync(0x0000ffffu, value, 1);
    } else {
        value += __shfl_xor_sync(0xffff0000u, value, 8);
        __syncwarp(0xffff0000u);
    }
    __syncwarp();
    out[t] = value;
}

// A tree in dynamic shared memory; in[] has a value per thread, out[block] their sum.
extern "C" __global__ void tree(const float *in, float *out)
{
    extern __shared__ float part[];
    __shared__ int rounds;
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    if (t == 0) rounds = 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) part[t] += part[t + k];
        if (t == 0) ++rounds;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0] + rounds * 0.0f;
}

// Three dimensions: every thread of every block writes its own place.
extern "C" __global__ void dimensions(int *out)
{
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    __syncthreads();
    out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = block * 1000 + thread;
}

extern "C" __global__ void counted(int *out)
{
    const int t = threadIdx.x;
    if (t >= 50) return; // exited threads are not waited for
    const int odd = __syncthreads_count(t % 2), any = __syncthreads_or(t == 49), all = __syncthreads_and(t < 49);
    const int again = __syncthreads_count(t % 5 == 0); // votes are counted anew
    out[t] = again * 10000 + odd * 100 + any * 10 + all;
}

// Threads of one block that wait for each other by atomics alone: fair scheduling, as from sm_70.
extern "C" __global__ void handshake(int *turn, int *out)
{
    const int t = threadIdx.x, last = blockDim.x - 1;
    while (atomicCAS(turn, last - t, last - t) != last - t) {
    }
    out[t] = atomicAdd(turn, 1);
}
