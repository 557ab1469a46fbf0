/* arithmetic.c -- what the compiler calls where a core has no instruction, and the C library's functions on memory. */
#include <stddef.h>
#include <stdint.h>

#ifdef OMPLS_CHECKED /* races.c sees what these do where they are called */
void races_range(const void *at, size_t size, int written, const void *place);
#define SEEN(at, size, written) races_range(at, size, written, __builtin_return_address(0))
#else
#define SEEN(at, size, written)
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    char *out = to;
    SEEN(from, size, 0);
    SEEN(to, size, 1);
    for (const char *in = from; size > 0; size--) *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    char *out = to;
    const char *in = from;
    SEEN(from, size, 0);
    SEEN(to, size, 1);
    if (out <= in)
        while (size-- > 0) *out++ = *in++;
    else
        while (size-- > 0) out[size] = in[size];
    return to;
}

void *memset(void *to, int value, size_t size) {
    SEEN(to, size, 1);
    for (char *out = to; size > 0; size--) *out++ = (char)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *x = a, *y = b;
    SEEN(a, size, 0);
    SEEN(b, size, 0);
    for (; size > 0; size--, x++, y++)
        if (*x != *y) return *x < *y ? -1 : 1;
    return 0;
}

uint64_t __udivmoddi4(uint64_t a, uint64_t b, uint64_t *rest) {
    uint64_t quotient = 0, left = 0;
    if (b == 0) return (uint64_t)((uint32_t)a / (uint32_t)b); /* as the machine answers it */
    for (int bit = 63; bit >= 0; bit--) {
        const uint32_t carry = (uint32_t)(left >> 63);
        left = left << 1 | (a >> bit & 1);
        if (carry != 0 || left >= b) left -= b, quotient |= (uint64_t)1 << bit;
    }
    if (rest != NULL) *rest = left;
    return quotient;
}

static uint64_t size_of(int64_t a) {
    return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

uint64_t __udivdi3(uint64_t a, uint64_t b) { return __udivmoddi4(a, b, NULL); }

uint64_t __umoddi3(uint64_t a, uint64_t b) {
    uint64_t rest = 0;
    __udivmoddi4(a, b, &rest);
    return rest;
}

int64_t __divdi3(int64_t a, int64_t b) {
    const uint64_t q = __udivmoddi4(size_of(a), size_of(b), NULL);
    return (int64_t)((a < 0) != (b < 0) ? -q : q);
}

int64_t __moddi3(int64_t a, int64_t b) {
    uint64_t rest = 0;
    __udivmoddi4(size_of(a), size_of(b), &rest);
    return (int64_t)(a < 0 ? -rest : rest);
}

int64_t __divmoddi4(int64_t a, int64_t b, int64_t *rest) {
    *rest = __moddi3(a, b);
    return __divdi3(a, b);
}

uint64_t __udivmoddi3(uint64_t a, uint64_t b, uint64_t *rest) { return __udivmoddi4(a, b, rest); }

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
float fabsf(float x) { return __builtin_fabsf(x); }
double fabs(double x) { return __builtin_fabs(x); }

/* A number that is none counts as missing (C17, F.10.9). */
float fmaxf(float x, float y) { return x >= y || y != y ? x : y; }
float fminf(float x, float y) { return x <= y || y != y ? x : y; }
double fmax(double x, double y) { return x >= y || y != y ? x : y; }
double fmin(double x, double y) { return x <= y || y != y ? x : y; }

#ifdef __SSE2__ /* the chip's own library has them for the chip */
float sqrtf(float x) { __asm__("sqrtss %0, %0" : "+x"(x)); return x; }
double sqrt(double x) { __asm__("sqrtsd %0, %0" : "+x"(x)); return x; }
#endif
