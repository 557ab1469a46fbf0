// Every reduction operator over every type; out[block] would be wrong if a thread or a partial warp were lost.
#include "ompls_device.cuh"

#define REDUCE(name, T, OP)                                                                                            \
    extern "C" __global__ void name(T *target, const T *values, int n)                                                 \
    {                                                                                                                  \
        ompls_spmd_begin();                                                                                            \
        T value = ompls_identity<OP, T>();                                                                             \
        const ompls_range<int> mine = ompls_get_static_chunk(ompls_get_distribute_chunk(n));                           \
        for (int i = mine.begin; i < mine.end; i += mine.stride) value = OP::apply<T>(value, values[i]);               \
        ompls_reduce<OP>(target, value);                                                                               \
    }
#define ARITHMETIC(suffix, T)                                                                                          \
    REDUCE(add_##suffix, T, ompls_add)                                                                                 \
    REDUCE(mul_##suffix, T, ompls_mul)                                                                                 \
    REDUCE(min_##suffix, T, ompls_min)                                                                                 \
    REDUCE(max_##suffix, T, ompls_max)                                                                                 \
    REDUCE(land_##suffix, T, ompls_land)                                                                               \
    REDUCE(lor_##suffix, T, ompls_lor)
#define INTEGER(suffix, T)                                                                                             \
    ARITHMETIC(suffix, T)                                                                                              \
    REDUCE(and_##suffix, T, ompls_and)                                                                                 \
    REDUCE(or_##suffix, T, ompls_or)                                                                                   \
    REDUCE(xor_##suffix, T, ompls_xor)

INTEGER(i8, signed char)
INTEGER(u8, unsigned char)
INTEGER(i16, short)
INTEGER(u16, unsigned short)
INTEGER(i32, int)
INTEGER(u32, unsigned)
INTEGER(i64, long long)
INTEGER(u64, unsigned long)
ARITHMETIC(f32, float)
ARITHMETIC(f64, double)
