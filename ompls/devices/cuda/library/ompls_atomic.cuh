// Atomic operations on any scalar of 1, 2, 4 or 8 bytes, and `critical`.
//
// Everything is one compare-and-swap loop over the enclosing 32- or 64-bit word; the hardware's own instructions are
// used where they do the same (sums and differences, minimum and maximum of integers, bits, exchange).
//
// OpenMP allows them on any variable, CUDA only in global and shared memory (PTX ISA, "atom"): of a variable of one
// thread's own NVIDIA's compilers make a trap ("Cannot do atomic on local memory").  Nobody else can reach that, so plain
// accesses do.  Where the compiler knows the memory, __isLocal costs nothing.
#pragma once

// --- operators --------------------------------------------------------------------------------------------------

// The largest and least values of T (reductions with min and max start from them, OpenMP 5.2 section 5.5.3).
template <typename T> struct ompls_limits {
    static __device__ T most()
    {
        const bool is_signed = T(-1) < T(0);
        return T(~0ull >> (64 - 8 * sizeof(T) + (is_signed ? 1 : 0)));
    }
    static __device__ T least() { return T(-1) < T(0) ? T(-most() - 1) : T(0); }
};
template <> struct ompls_limits<bool> {
    static __device__ bool most() { return true; }
    static __device__ bool least() { return false; }
};
template <> struct ompls_limits<float> {
    static __device__ float most() { return __int_as_float(0x7f800000); }
    static __device__ float least() { return -most(); }
};
template <> struct ompls_limits<double> {
    static __device__ double most() { return __longlong_as_double(0x7ff0000000000000ll); }
    static __device__ double least() { return -most(); }
};

#define OMPLS_OPERATOR(name, result)                                                                                   \
    struct name {                                                                                                      \
        template <typename T> static __device__ T apply(T a, T b) { return static_cast<T>(result); }
#define OMPLS_IDENTITY(value)                                                                                          \
        template <typename T> static __device__ T identity() { return static_cast<T>(value); }                         \
    };
OMPLS_OPERATOR(ompls_add, a + b) OMPLS_IDENTITY(0)
OMPLS_OPERATOR(ompls_mul, a * b) OMPLS_IDENTITY(1)
OMPLS_OPERATOR(ompls_min, b < a ? b : a) OMPLS_IDENTITY(ompls_limits<T>::most())
OMPLS_OPERATOR(ompls_max, a < b ? b : a) OMPLS_IDENTITY(ompls_limits<T>::least())
OMPLS_OPERATOR(ompls_and, a & b) OMPLS_IDENTITY(~0ull)
OMPLS_OPERATOR(ompls_or, a | b) OMPLS_IDENTITY(0)
OMPLS_OPERATOR(ompls_xor, a ^ b) OMPLS_IDENTITY(0)
OMPLS_OPERATOR(ompls_land, a && b) OMPLS_IDENTITY(1)
OMPLS_OPERATOR(ompls_lor, a || b) OMPLS_IDENTITY(0)
OMPLS_OPERATOR(ompls_sub, a - b) };
OMPLS_OPERATOR(ompls_div, a / b) };
OMPLS_OPERATOR(ompls_shl, a << b) };
OMPLS_OPERATOR(ompls_shr, a >> b) };
OMPLS_OPERATOR(ompls_rsub, b - a) };
OMPLS_OPERATOR(ompls_rdiv, b / a) };
OMPLS_OPERATOR(ompls_rshl, b << a) };
OMPLS_OPERATOR(ompls_rshr, b >> a) };
#undef OMPLS_OPERATOR
#undef OMPLS_IDENTITY

template <class Op, typename T> static __device__ T ompls_identity() { return Op::template identity<T>(); }

// --- the compare-and-swap loop ----------------------------------------------------------------------------------
// It waits for nobody: a lane's swap fails only when another's has just succeeded, so with n lanes at most n turns of a
// warp do, also when those that are done wait at the loop's end (before sm_70).

// Bits of a T as an integer, and back.  Word is unsigned int or unsigned long long, at least as large as T.
template <typename T, typename Word> static __device__ inline Word ompls_to_bits(T value)
{
    Word bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <typename T, typename Word> static __device__ inline T ompls_from_bits(Word bits)
{
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
}

template <bool eight> struct ompls_word { typedef unsigned int type; };
template <> struct ompls_word<true> { typedef unsigned long long type; };

// The neighbours of a small T are read with it, but not meant: cudasim's checks are told so.
#ifndef OMPLS_WHOLE_WORD
#define OMPLS_WHOLE_WORD(word) (*reinterpret_cast<volatile Word *>(word))
#endif

template <typename T, class F> static __device__ T ompls_atomic_update(T *target, F update)
{
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "no atomic of this size");
    typedef typename ompls_word<sizeof(T) == 8>::type Word;
    if (__isLocal(target)) {
        const T old = *target;
        *target = update(old);
        return old;
    }
    // A small T lies in an aligned word; its neighbours there are written back as they were (little endian).
    const unsigned long long address = reinterpret_cast<unsigned long long>(target);
    Word *const word = reinterpret_cast<Word *>(address & ~static_cast<unsigned long long>(sizeof(Word) - 1));
    const int shift = 8 * int(address % sizeof(Word));
    const Word mask = (~Word(0) >> (8 * (sizeof(Word) - sizeof(T)))) << shift;
    Word seen = OMPLS_WHOLE_WORD(word);
    for (;;) {
        const T old = ompls_from_bits<T, Word>((seen & mask) >> shift);
        const Word fresh = ompls_to_bits<T, Word>(update(old)) << shift;
        const Word found = atomicCAS(word, seen, (seen & ~mask) | (fresh & mask));
        if (found == seen) return old;
        seen = found;
    }
}

// --- the operations ---------------------------------------------------------------------------------------------

template <class Op, typename T> struct ompls_atomic_operation {
    static __device__ T run(T *target, T value)
    {
        return ompls_atomic_update(target, [=](T old) { return Op::template apply<T>(old, value); });
    }
};
#define OMPLS_HARDWARE(op, T, W, call)                                                                                 \
    template <> struct ompls_atomic_operation<op, T> {                                                                 \
        static __device__ T run(T *target, T value) { return (T)call(reinterpret_cast<W *>(target), (W)value); }       \
    };
#define OMPLS_HARDWARE_ON(op, call, I, L)                                                                              \
    OMPLS_HARDWARE(op, int, I, call)                                                                                   \
    OMPLS_HARDWARE(op, unsigned int, unsigned int, call)                                                               \
    OMPLS_HARDWARE(op, long, L, call)                                                                                  \
    OMPLS_HARDWARE(op, long long, L, call)                                                                             \
    OMPLS_HARDWARE(op, unsigned long, unsigned long long, call)                                                        \
    OMPLS_HARDWARE(op, unsigned long long, unsigned long long, call)
#define OMPLS_HARDWARE_ON_BITS(op, call) OMPLS_HARDWARE_ON(op, call, unsigned int, unsigned long long)
#define OMPLS_HARDWARE_ON_NUMBERS(op, call) OMPLS_HARDWARE_ON(op, call, int, long long)

// CUDA's own is for 32 bits only; and NVIDIA's compilers make of it what they make of this.
template <typename W> static __device__ inline W ompls_atomic_minus(W *target, W value) { return atomicAdd(target, -value); }

OMPLS_HARDWARE_ON_BITS(ompls_add, atomicAdd) // in two's complement the sign is nothing of its own
OMPLS_HARDWARE_ON_BITS(ompls_sub, ompls_atomic_minus)
OMPLS_HARDWARE_ON_BITS(ompls_and, atomicAnd)
OMPLS_HARDWARE_ON_BITS(ompls_or, atomicOr)
OMPLS_HARDWARE_ON_BITS(ompls_xor, atomicXor)
OMPLS_HARDWARE_ON_NUMBERS(ompls_min, atomicMin)
OMPLS_HARDWARE_ON_NUMBERS(ompls_max, atomicMax)
OMPLS_HARDWARE(ompls_add, float, float, atomicAdd)
OMPLS_HARDWARE(ompls_sub, float, float, ompls_atomic_minus)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
OMPLS_HARDWARE(ompls_add, double, double, atomicAdd)
OMPLS_HARDWARE(ompls_sub, double, double, ompls_atomic_minus)
#endif
#undef OMPLS_HARDWARE_ON_NUMBERS
#undef OMPLS_HARDWARE_ON_BITS
#undef OMPLS_HARDWARE_ON
#undef OMPLS_HARDWARE

template <class Op, typename T> static __device__ T ompls_atomic(T *target, ompls_converted<T> value)
{
    if (!__isLocal(target)) return ompls_atomic_operation<Op, T>::run(target, value);
    const T old = *target;
    *target = Op::template apply<T>(old, value);
    return old;
}

template <typename T> static __device__ T ompls_atomic_read(const T *target)
{
    return *const_cast<const volatile T *>(target); // aligned accesses of these sizes are single
}
template <typename T> static __device__ void ompls_atomic_write(T *target, ompls_converted<T> value)
{
    *const_cast<volatile T *>(target) = value;
}
template <typename T> static __device__ T ompls_atomic_exchange(T *target, ompls_converted<T> value)
{
    typedef typename ompls_word<sizeof(T) == 8>::type Word;
    if (sizeof(T) < sizeof(Word) || __isLocal(target)) return ompls_atomic_update(target, [=](T) { return value; });
    return ompls_from_bits<T, Word>(atomicExch(reinterpret_cast<Word *>(target), ompls_to_bits<T, Word>(value)));
}

// Locks, too, may be a thread's own: 1 when this call has taken it.
static __device__ inline bool ompls_take(int *lock)
{
    if (!__isLocal(lock)) return atomicCAS(lock, 0, 1) == 0;
    const bool got = *lock == 0;
    *lock = 1;
    return got;
}
static __device__ inline void ompls_let_go(int *lock)
{
    if (__isLocal(lock)) *lock = 0;
    else atomicExch(lock, 0);
}

// --- critical ---------------------------------------------------------------------------------------------------

// Runs `body`, which releases what `take` got, once `take()` says true.  Lanes of a warp may wait for each other here.
//
// Before sm_70 the lanes of a warp that leave a loop wait at its end for those that are still in it (on the machine: SSY,
// SYNC; PTX promises a lane no progress of its own there).  So a lane that has got the lock must release it inside of the
// loop: behind it, it would wait for neighbours that wait for the lock.  That the body is written inside is not enough:
// an optimizer that knows `done` after it moves it behind the loop.  Of what went through ompls_unknown it knows nothing,
// so the way from the body leads through the loop's end.  tools/waits.py looks for loops that have lost their release.
static __device__ inline bool ompls_unknown(bool value)
{
    int it = value;
    asm volatile("" : "+r"(it));
    return it;
}
template <class G, class F> static __device__ inline void ompls_once_taken(G take, F body)
{
    for (bool done = false; !done;) {
        if (take()) {
            body();
            done = true;
        }
        done = ompls_unknown(done);
    }
}

template <class F> static __device__ void ompls_critical(int *lock, F body)
{
    ompls_once_taken([=] { return ompls_take(lock); }, [&] {
        __threadfence();
        body();
        __threadfence();
        ompls_let_go(lock);
    });
}
