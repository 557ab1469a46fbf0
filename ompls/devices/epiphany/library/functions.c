/* functions.c -- functions of the C library for the emulated board, which has none: the chip's own library has them for the chip.

   Their numbers come from the processor's instructions with 64 bits of mantissa, rounded once: the last bit may differ from that of a
   chip's library, as it does between libraries.  Nothing sets `errno`. */
#include <stddef.h>

typedef long double wide;

#define ONE(name, text)                                                    \
    static wide name(wide x) {                                             \
        __asm__(text : "+t"(x));                                           \
        return x;                                                          \
    }

ONE(whole, "frndint")     /* to the nearest one, as everybody leaves the rounding */
ONE(small_power, "f2xm1") /* 2^x - 1, for x between -1 and 1 */
ONE(sine, "fsin")
ONE(cosine, "fcos")
ONE(root, "fsqrt")

static wide logarithm(wide x, wide factor) { /* factor * log2(x) */
    __asm__("fyl2x" : "+t"(x) : "u"(factor) : "st(1)");
    return x;
}

static wide angle(wide y, wide x) {
    __asm__("fpatan" : "+t"(x) : "u"(y) : "st(1)");
    return x;
}

static wide scaled(wide x, wide power) {
    __asm__("fscale" : "+t"(x) : "u"(power));
    return x;
}

static wide rest(wide x, wide y) { /* each round takes at most 63 bits away */
    unsigned short state;
    do __asm__("fprem\n\tfnstsw %1" : "+t"(x), "=a"(state) : "u"(y));
    while ((state & 0x400) != 0);
    return x;
}

static int is_whole(wide x) { return whole(x) == x; }

static wide down(wide x) {
    const wide near = whole(x);
    return near > x ? near - 1 : near;
}

static wide up(wide x) { return -down(-x); }

static wide cut(wide x) { return x < 0 ? -down(-x) : down(x); }

static wide away(wide x) { /* halves go away from zero */
    const wide near = down(__builtin_fabsl(x) + 0.5l);
    return __builtin_copysignl(__builtin_fabsl(x) < 0.5l ? 0 : near, x);
}

static wide power_of_two(wide x) {
    if (x != x) return x;
    if (x > 20000) return __builtin_infl();
    if (x < -20000) return 0;
    const wide near = whole(x);
    return scaled(small_power(x - near) + 1, near);
}

static const wide LOG2_E = 1.442695040888963407359924681001892137L, LN_2 = 0.693147180559945309417232121458176568L,
                  LOG10_2 = 0.301029995663981195213738894724493027L;

static wide exponential(wide x) {
    return x > 20000 ? __builtin_infl() : x < -20000 ? 0 : power_of_two(x * LOG2_E);
}

static wide natural(wide x) { return logarithm(x, LN_2); }
static wide binary(wide x) { return logarithm(x, 1); }
static wide decimal(wide x) { return logarithm(x, LOG10_2); }

static wide power(wide x, wide y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    const int odd = is_whole(y) && !is_whole(y / 2);
    if (x == 0) return y > 0 ? (odd ? x : 0) : odd ? 1 / x : __builtin_infl();
    if (__builtin_isinf(y)) {
        const wide size = __builtin_fabsl(x);
        return size == 1 ? 1 : (size > 1) == (y > 0) ? __builtin_infl() : 0;
    }
    if (__builtin_isinf(x)) {
        const wide size = y > 0 ? __builtin_infl() : 0;
        return x < 0 && odd ? -size : size;
    }
    if (x < 0 && !is_whole(y)) return __builtin_nanl("");
    const wide size = power_of_two(logarithm(__builtin_fabsl(x), y));
    return x < 0 && odd ? -size : size;
}

static wide hyperbolic(wide x) {
    if (__builtin_fabsl(x) > 40) return __builtin_copysignl(1, x);
    if (__builtin_fabsl(x) < 1e-5l) return x - x * x * x / 3;
    const wide e = exponential(2 * x);
    return (e - 1) / (e + 1);
}

static wide sine_of(wide x) { return __builtin_isinf(x) ? x - x : sine(x); }
static wide cosine_of(wide x) { return __builtin_isinf(x) ? x - x : cosine(x); }
static wide tangent(wide x) { return sine_of(x) / cosine_of(x); }
static wide arc_tangent(wide x) { return angle(x, 1); }
static wide arc_sine(wide x) { return angle(x, root((1 - x) * (1 + x))); }
static wide arc_cosine(wide x) { return angle(root((1 - x) * (1 + x)), x); }
static wide third(wide x) { return x == 0 || x - x != 0 ? x : __builtin_copysignl(power(__builtin_fabsl(x), 1 / 3.0l), x); }
static wide hypotenuse(wide x, wide y) { return __builtin_isinf(x) || __builtin_isinf(y) ? __builtin_infl() : root(x * x + y * y); }
static wide modulo(wide x, wide y) { return __builtin_isinf(x) || y == 0 ? __builtin_nanl("") : __builtin_isinf(y) ? x : rest(x, y); }
static wide with_sign(wide x, wide y) { return __builtin_copysignl(x, y); }

#define OF_ONE(name, wider)                                  \
    float name##f(float x) { return (float)wider((wide)x); } \
    double name(double x) { return (double)wider((wide)x); }
#define OF_TWO(name, wider)                                                     \
    float name##f(float x, float y) { return (float)wider((wide)x, (wide)y); } \
    double name(double x, double y) { return (double)wider((wide)x, (wide)y); }

OF_ONE(exp, exponential)
OF_ONE(exp2, power_of_two)
OF_ONE(log, natural)
OF_ONE(log2, binary)
OF_ONE(log10, decimal)
OF_ONE(sin, sine_of)
OF_ONE(cos, cosine_of)
OF_ONE(tan, tangent)
OF_ONE(asin, arc_sine)
OF_ONE(acos, arc_cosine)
OF_ONE(atan, arc_tangent)
OF_ONE(tanh, hyperbolic)
OF_ONE(cbrt, third)
OF_ONE(floor, down)
OF_ONE(ceil, up)
OF_ONE(trunc, cut)
OF_ONE(round, away)
OF_ONE(rint, whole)
OF_TWO(pow, power)
OF_TWO(atan2, angle)
OF_TWO(hypot, hypotenuse)
OF_TWO(fmod, modulo)
OF_TWO(copysign, with_sign)

/* --- texts ---------------------------------------------------------------------------------------------------------- */

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length] != '\0') length++;
    return length;
}

int strncmp(const char *a, const char *b, size_t most) {
    for (; most > 0; most--, a++, b++)
        if (*a != *b || *a == '\0') return (unsigned char)*a - (unsigned char)*b;
    return 0;
}

int strcmp(const char *a, const char *b) { return strncmp(a, b, ~(size_t)0); }

void *memchr(const void *at, int value, size_t size) {
    for (const unsigned char *c = at; size > 0; size--, c++)
        if (*c == (unsigned char)value) return (void *)c;
    return NULL;
}

char *strchr(const char *text, int value) {
    for (;; text++) {
        if (*text == (char)value) return (char *)text;
        if (*text == '\0') return NULL;
    }
}
