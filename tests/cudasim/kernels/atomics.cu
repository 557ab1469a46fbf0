// Atomic updates by many threads of many blocks at once, over every size; and what only a loop can do.
#include "ompls_device.cuh"

#define UPDATE(name, T, OP)                                                                                            \
    extern "C" __global__ void name(T *target, T value, int targets)                                                   \
    {                                                                                                                  \
        ompls_spmd_begin();                                                                                            \
        ompls_atomic<OP>(&target[(blockIdx.x * blockDim.x + threadIdx.x) % targets], value);                           \
    }
#define SIZES(op, OP)                                                                                                  \
    UPDATE(op##_i8, signed char, OP)                                                                                   \
    UPDATE(op##_u8, unsigned char, OP)                                                                                 \
    UPDATE(op##_i16, short, OP)                                                                                        \
    UPDATE(op##_u16, unsigned short, OP)                                                                               \
    UPDATE(op##_i32, int, OP)                                                                                          \
    UPDATE(op##_u32, unsigned, OP)                                                                                     \
    UPDATE(op##_i64, long, OP)                                                                                         \
    UPDATE(op##_u64, unsigned long long, OP)                                                                           \
    UPDATE(op##_f32, float, OP)                                                                                        \
    UPDATE(op##_f64, double, OP)
SIZES(add, ompls_add)
SIZES(sub, ompls_sub)
SIZES(mul, ompls_mul)
SIZES(min, ompls_min)
SIZES(max, ompls_max)
UPDATE(xor_i64, long, ompls_xor)
UPDATE(rsub_i32, int, ompls_rsub)
UPDATE(shl_u32, unsigned, ompls_shl)

// Captured values of a fetch-and-add are all different.
extern "C" __global__ void tickets(int *counter, int *seen)
{
    ompls_spmd_begin();
    const int ticket = ompls_atomic<ompls_add>(counter, 1);
    seen[ticket] += 1;
}

// A long that only grows, by compare and swap with 64-bit values; and exchange, read and write.
extern "C" __global__ void others(long *biggest, float *swapped, double *written, long base)
{
    ompls_spmd_begin();
    const long mine = base + blockIdx.x * blockDim.x + threadIdx.x;
    ompls_atomic_update(biggest, [=](long old) { return old < mine ? mine : old; });
    ompls_atomic_exchange(swapped, 3.5f);
    ompls_atomic_write(written, ompls_atomic_read(written) > 7.0 ? 9.0 : 8.0);
}

static __device__ int the_lock;

// A read-modify-write that is wrong without the lock, between all threads of all blocks.
extern "C" __global__ void locked(long *total, long *square)
{
    ompls_spmd_begin();
    ompls_critical(&the_lock, [&] {
        *total += 1;
        *square = *total * *total;
    });
}
