// ompls_c.cuh -- C that CUDA C++ lacks: arrays of variable length, typeof, some of gcc's functions.
#pragma once

// Room for `count` objects until the block that it is declared in ends, by whatever way.  On the device's heap: a
// thread's stack is small, and other threads may be given the address.
template <typename T> struct ompls_room {
    T *begin;
    __device__ ompls_room(long count) : begin((T *)malloc((unsigned long)(count > 0 ? count : 1) * sizeof(T))) {
        if (!begin) {
            printf("no memory on the device for an array of %ld bytes\n", (long)(count * sizeof(T)));
            __trap();
        }
    }
    ompls_room(const ompls_room &) = delete;
    __device__ ~ompls_room() { free(begin); }
};
// What `alloca` takes, until the function's block ends: pieces of the heap, each with the address of the one before.
struct ompls_stack {
    void *last = 0;
    __device__ ompls_stack() {}
    ompls_stack(const ompls_stack &) = delete;
    __device__ void *take(unsigned long size) {
        void **piece = (void **)malloc(size + 16);
        if (!piece) {
            printf("no memory on the device for alloca(%lu)\n", size);
            __trap();
        }
        *piece = last;
        last = piece;
        return piece + 2;
    }
    __device__ ~ompls_stack() {
        while (last) {
            void *before = *(void **)last;
            free(last);
            last = before;
        }
    }
};

// `typeof` of an expression: without the reference that decltype makes of an lvalue.
typedef bool ompls_bool; // where a program has a `bool` of its own
template <typename T> struct ompls_plain { typedef T type; };
template <typename T> struct ompls_plain<T &> { typedef T type; };
template <typename T> struct ompls_plain<T &&> { typedef T type; };
#define ompls_typeof(...) ompls_plain<decltype(__VA_ARGS__)>::type

template <typename T> static __device__ T ompls_bswap(T value) {
    T out = 0;
    for (unsigned k = 0; k < sizeof(T); k++) {
        out = (T)((out << 8) | (value & 255));
        value = (T)(value >> 8);
    }
    return out;
}
// gcc's __builtin_*_overflow for types of up to 64 bits: the exact result, converted to R, and whether that changed it.
// The exact result is a sign and 128 bits: not every CUDA compiler has __int128.
struct ompls_exact {
    bool negative;
    unsigned long long high, low;
    template <typename T> static __device__ ompls_exact of(T value) {
        const bool negative = value < T(1) && value != T(0);
        return {negative, 0, negative ? 0 - (unsigned long long)value : (unsigned long long)value};
    }
};
static __device__ inline ompls_exact ompls_exact_sum(ompls_exact a, ompls_exact b) {
    const bool larger = a.low >= b.low;
    if (a.negative != b.negative)
        return {larger ? a.negative : b.negative, 0, larger ? a.low - b.low : b.low - a.low};
    return {a.negative, a.low + b.low < a.low, a.low + b.low};
}
static __device__ inline ompls_exact ompls_exact_difference(ompls_exact a, ompls_exact b) {
    return ompls_exact_sum(a, {!b.negative, b.high, b.low});
}
static __device__ inline ompls_exact ompls_exact_product(ompls_exact a, ompls_exact b) {
    const unsigned long long half = 0xffffffff, lowest = (a.low & half) * (b.low & half);
    const unsigned long long left = (a.low >> 32) * (b.low & half) + (lowest >> 32);
    const unsigned long long right = (a.low & half) * (b.low >> 32) + (left & half);
    const unsigned long long high = (a.low >> 32) * (b.low >> 32) + (left >> 32) + (right >> 32);
    return {a.negative != b.negative, high, a.low * b.low};
}
#define OMPLS_OVERFLOW(name, operation)                                                                                \
    template <typename A, typename B, typename R> static __device__ bool name(A a, B b, R *result) {                   \
        const ompls_exact exact = operation(ompls_exact::of(a), ompls_exact::of(b));                                   \
        *result = (R)(exact.negative ? 0 - exact.low : exact.low);                                                     \
        const ompls_exact stored = ompls_exact::of(*result);                                                           \
        return exact.high || stored.low != exact.low || (exact.low && stored.negative != exact.negative);              \
    }
OMPLS_OVERFLOW(ompls_add_overflow, ompls_exact_sum)
OMPLS_OVERFLOW(ompls_sub_overflow, ompls_exact_difference)
OMPLS_OVERFLOW(ompls_mul_overflow, ompls_exact_product)
#undef OMPLS_OVERFLOW

// A call of another unit's function: its types are declared there once more, and are the same bytes.
template <typename To, typename From> struct ompls_same {
    static __device__ To of(From from) {
        static_assert(sizeof(To) == sizeof(From), "two units declare a function differently");
        union { From from; To to; } both = {from};
        return both.to;
    }
};
template <typename T> struct ompls_same<T, T> {
    static __device__ T of(T value) { return value; }
};
template <typename R> struct ompls_crossing {
    template <typename Q, typename... P, typename... A> static __device__ R call(Q (*f)(P...), A... a) {
        return ompls_same<R, Q>::of(f(ompls_same<P, A>::of(a)...));
    }
};
template <> struct ompls_crossing<void> {
    template <typename Q, typename... P, typename... A> static __device__ void call(Q (*f)(P...), A... a) {
        f(ompls_same<P, A>::of(a)...);
    }
};
template <typename R, typename F, typename... A> static __device__ R ompls_across(F f, A... a) {
    return ompls_crossing<R>::call(f, a...);
}

// gcc's __atomic_* and __sync_* functions of integers.  What orders other accesses (any order but __ATOMIC_RELAXED, 0) is
// as strong as sequential consistency needs.
template <typename T> struct ompls_unqualified { typedef T type; };
template <typename T> struct ompls_unqualified<volatile T> { typedef T type; };
#define OMPLS_PLAIN(P) typename ompls_unqualified<P>::type

template <class Action> static __device__ auto ompls_ordered(int order, Action action) {
    if (order != 0) __threadfence();
    auto result = action();
    if (order != 0) __threadfence();
    return result;
}
template <class Op, typename P, typename V> static __device__ OMPLS_PLAIN(P) ompls_fetch_op(P *target, V value, int order = 5) {
    typedef OMPLS_PLAIN(P) T;
    return ompls_ordered(order, [=] { return ompls_atomic<Op, T>((T *)target, (T)value); });
}
template <class Op, typename P, typename V> static __device__ OMPLS_PLAIN(P) ompls_op_fetch(P *target, V value, int order = 5) {
    typedef OMPLS_PLAIN(P) T;
    return Op::template apply<T>(ompls_fetch_op<Op>(target, value, order), (T)value);
}
template <typename P, typename V> static __device__ OMPLS_PLAIN(P) ompls_exchange(P *target, V value, int order = 5) {
    typedef OMPLS_PLAIN(P) T;
    return ompls_ordered(order, [=] { return ompls_atomic_exchange<T>((T *)target, (T)value); });
}
template <typename P> static __device__ OMPLS_PLAIN(P) ompls_load(const P *target, int order) {
    typedef OMPLS_PLAIN(P) T;
    return ompls_ordered(order, [=] { return ompls_atomic_read<T>((const T *)target); });
}
template <typename P, typename V> static __device__ void ompls_store(P *target, V value, int order) {
    typedef OMPLS_PLAIN(P) T;
    ompls_ordered(order, [=] { ompls_atomic_write<T>((T *)target, (T)value); return 0; });
}
// The value before; `fresh` is stored where that was `expected`.
template <typename P, typename E, typename V>
static __device__ OMPLS_PLAIN(P) ompls_swap_if(P *target, E expected, V fresh, int order = 5) {
    typedef OMPLS_PLAIN(P) T;
    const T wanted = (T)expected, value = (T)fresh;
    return ompls_ordered(order, [=] {
        return ompls_atomic_update<T>((T *)target, [=](T old) { return old == wanted ? value : old; });
    });
}
template <typename P, typename E, typename V> static __device__ bool ompls_swapped(P *target, E expected, V fresh) {
    return ompls_swap_if(target, expected, fresh) == (OMPLS_PLAIN(P))expected;
}
template <typename P, typename E, typename V>
static __device__ bool ompls_compare_exchange(P *target, E *expected, V fresh, bool, int success, int failure) {
    const OMPLS_PLAIN(P) wanted = *expected, old = ompls_swap_if(target, wanted, fresh, success | failure);
    if (old != wanted) *expected = old;
    return old == wanted;
}
static __device__ inline void ompls_fence(int order = 5) {
    if (order != 0) __threadfence();
}
