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
template <typename R> static __device__ bool ompls_narrow(__int128 exact, R *result) {
    *result = (R)exact;
    return (__int128)*result != exact;
}
#define OMPLS_OVERFLOW(name, op)                                                                                       \
    template <typename A, typename B, typename R> static __device__ bool name(A a, B b, R *result) {                   \
        return ompls_narrow((__int128)a op(__int128) b, result);                                                       \
    }
OMPLS_OVERFLOW(ompls_add_overflow, +)
OMPLS_OVERFLOW(ompls_sub_overflow, -)
OMPLS_OVERFLOW(ompls_mul_overflow, *)
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
