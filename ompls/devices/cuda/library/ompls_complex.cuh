// ompls_complex.cuh -- C's complex numbers (C11 7.3, annex G; the arithmetic is that of gcc's code for the host).
#pragma once

template <typename T> struct ompls_is_number { static const bool value = false; };
#define OMPLS_NUMBER(T) template <> struct ompls_is_number<T> { static const bool value = true; };
OMPLS_NUMBER(bool) OMPLS_NUMBER(char) OMPLS_NUMBER(signed char) OMPLS_NUMBER(unsigned char) OMPLS_NUMBER(short)
OMPLS_NUMBER(unsigned short) OMPLS_NUMBER(int) OMPLS_NUMBER(unsigned) OMPLS_NUMBER(long) OMPLS_NUMBER(unsigned long)
OMPLS_NUMBER(long long) OMPLS_NUMBER(unsigned long long) OMPLS_NUMBER(float) OMPLS_NUMBER(double)
#undef OMPLS_NUMBER
template <bool condition, typename T> struct ompls_if {};
template <typename T> struct ompls_if<true, T> { typedef T type; };

// The real type of an operation on T and U: integers take the other's, double is wider than float.
template <typename T, typename U> struct ompls_wider { typedef T type; };
template <> struct ompls_wider<float, double> { typedef double type; };

template <typename T> struct ompls_complex {
    typedef T real;
    T re, im;
    ompls_complex() = default;
    __device__ constexpr ompls_complex(T re, T im) : re(re), im(im) {}
    template <typename U, typename = typename ompls_if<ompls_is_number<U>::value, U>::type>
    __device__ constexpr ompls_complex(U re) : re((T)re), im(0) {}
    template <typename U> __device__ constexpr ompls_complex(ompls_complex<U> z) : re((T)z.re), im((T)z.im) {}
    // A real number drops the imaginary part; a truth value does not.
    template <typename U, typename = typename ompls_if<ompls_is_number<U>::value, U>::type>
    __device__ operator U() const { return (U)re; }
    __device__ operator bool() const { return re != 0 || im != 0; }
    template <typename U> __device__ ompls_complex &operator+=(U u) { return *this = ompls_complex(*this + u); }
    template <typename U> __device__ ompls_complex &operator-=(U u) { return *this = ompls_complex(*this - u); }
    template <typename U> __device__ ompls_complex &operator*=(U u) { return *this = ompls_complex(*this * u); }
    template <typename U> __device__ ompls_complex &operator/=(U u) { return *this = ompls_complex(*this / u); }
};

#define OMPLS_BOTH template <typename T, typename U> static __device__ ompls_complex<typename ompls_wider<T, U>::type>
#define OMPLS_REAL                                                                                                     \
    template <typename T, typename U, typename = typename ompls_if<ompls_is_number<U>::value, U>::type>                \
    static __device__ ompls_complex<typename ompls_wider<T, U>::type>
#define OMPLS_WIDER typedef typename ompls_wider<T, U>::type R

OMPLS_BOTH operator+(ompls_complex<T> a, ompls_complex<U> b) { OMPLS_WIDER; return {(R)a.re + (R)b.re, (R)a.im + (R)b.im}; }
OMPLS_BOTH operator-(ompls_complex<T> a, ompls_complex<U> b) { OMPLS_WIDER; return {(R)a.re - (R)b.re, (R)a.im - (R)b.im}; }
OMPLS_REAL operator+(ompls_complex<T> a, U b) { OMPLS_WIDER; return {(R)a.re + (R)b, (R)a.im}; }
OMPLS_REAL operator+(U a, ompls_complex<T> b) { OMPLS_WIDER; return {(R)a + (R)b.re, (R)b.im}; }
OMPLS_REAL operator-(ompls_complex<T> a, U b) { OMPLS_WIDER; return {(R)a.re - (R)b, (R)a.im}; }
OMPLS_REAL operator-(U a, ompls_complex<T> b) { OMPLS_WIDER; return {(R)a - (R)b.re, -(R)b.im}; }
OMPLS_REAL operator*(ompls_complex<T> a, U b) { OMPLS_WIDER; return {(R)a.re * (R)b, (R)a.im * (R)b}; }
OMPLS_REAL operator*(U a, ompls_complex<T> b) { OMPLS_WIDER; return {(R)a * (R)b.re, (R)a * (R)b.im}; }
OMPLS_REAL operator/(ompls_complex<T> a, U b) { OMPLS_WIDER; return {(R)a.re / (R)b, (R)a.im / (R)b}; }

// What annex G makes of an infinity: its direction.
template <typename R> static __device__ R ompls_box(R v) { return copysign(isinf(v) ? R(1) : R(0), v); }
template <typename R> static __device__ R ompls_not_nan(R v) { return isnan(v) ? copysign(R(0), v) : v; }

template <typename R> static __device__ ompls_complex<R> ompls_product(R a, R b, R c, R d) {
    const R ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    R x = ac - bd, y = ad + bc;
    if (isnan(x) && isnan(y)) { // an infinite factor makes the product infinite (annex G.5.1)
        bool again = false;
        if (isinf(a) || isinf(b)) a = ompls_box(a), b = ompls_box(b), c = ompls_not_nan(c), d = ompls_not_nan(d), again = true;
        if (isinf(c) || isinf(d)) c = ompls_box(c), d = ompls_box(d), a = ompls_not_nan(a), b = ompls_not_nan(b), again = true;
        if (!again && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc)))
            a = ompls_not_nan(a), b = ompls_not_nan(b), c = ompls_not_nan(c), d = ompls_not_nan(d), again = true;
        const R infinity = R(1e300) * R(1e300);
        if (again) x = infinity * (a * c - b * d), y = infinity * (a * d + b * c);
    }
    return {x, y};
}
OMPLS_BOTH operator*(ompls_complex<T> a, ompls_complex<U> b) { OMPLS_WIDER; return ompls_product<R>(a.re, a.im, b.re, b.im); }

// Division without overflow on the way: M. Baudin, R. L. Smith, "A robust complex division in Scilab" (2012).
static __device__ ompls_complex<double> ompls_quotient(double a, double b, double c, double d) {
    const double largest = 0.5 * 1.7976931348623157e308, smallest = 2.2250738585072014e-308;
    const double tiny = 2.220446049250313e-16, up = 1 / tiny, safe = largest * tiny;
    const bool swap = fabs(c) < fabs(d);
    const double big = swap ? fabs(d) : fabs(c);
    double scale = 1;
    if (big >= largest) scale = 0.5;
    a *= scale, b *= scale, c *= scale, d *= scale;
    const double after = swap ? fabs(d) : fabs(c);
    const bool small = (fabs(a) < smallest && fabs(b) < safe && after < safe) || (fabs(b) < smallest && fabs(a) < safe && after < safe);
    if (after < tiny || small) a *= up, b *= up, c *= up, d *= up;
    if (swap) {
        const double ratio = c / d, below = c * ratio + d;
        if (fabs(ratio) > smallest) return {(a * ratio + b) / below, (b * ratio - a) / below};
        return {(c * (a / d) + b) / below, (c * (b / d) - a) / below};
    }
    const double ratio = d / c, below = d * ratio + c;
    if (fabs(ratio) > smallest) return {(b * ratio + a) / below, (b - a * ratio) / below};
    return {(d * (b / c) + a) / below, (b - d * (a / c)) / below};
}
static __device__ ompls_complex<float> ompls_quotient(float a, float b, float c, float d) {
    const double below = (double)c * c + (double)d * d; // exact enough in double
    return {(float)(((double)a * c + (double)b * d) / below), (float)(((double)b * c - (double)a * d) / below)};
}
template <typename R> static __device__ ompls_complex<R> ompls_divided(R a, R b, R c, R d) {
    ompls_complex<R> q = ompls_quotient(a, b, c, d);
    if (isnan(q.re) && isnan(q.im)) { // zero and infinity (annex G.5.1)
        const R infinity = R(1e300) * R(1e300);
        if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {
            q = {copysign(infinity, c) * a, copysign(infinity, c) * b};
        } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
            a = ompls_box(a), b = ompls_box(b);
            q = {infinity * (a * c + b * d), infinity * (b * c - a * d)};
        } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
            c = ompls_box(c), d = ompls_box(d);
            q = {R(0) * (a * c + b * d), R(0) * (b * c - a * d)};
        }
    }
    return q;
}
OMPLS_BOTH operator/(ompls_complex<T> a, ompls_complex<U> b) { OMPLS_WIDER; return ompls_divided<R>(a.re, a.im, b.re, b.im); }
OMPLS_REAL operator/(U a, ompls_complex<T> b) { OMPLS_WIDER; return ompls_divided<R>((R)a, 0, b.re, b.im); }
#undef OMPLS_BOTH
#undef OMPLS_REAL
#undef OMPLS_WIDER

#define OMPLS_NUMERIC(U) typename = typename ompls_if<ompls_is_number<U>::value, U>::type
template <typename T, typename U> static __device__ bool operator==(ompls_complex<T> a, ompls_complex<U> b) { return a.re == b.re && a.im == b.im; }
template <typename T, typename U> static __device__ bool operator!=(ompls_complex<T> a, ompls_complex<U> b) { return !(a == b); }
template <typename T, typename U, OMPLS_NUMERIC(U)> static __device__ bool operator==(ompls_complex<T> a, U b) { return a.re == b && a.im == 0; }
template <typename T, typename U, OMPLS_NUMERIC(U)> static __device__ bool operator!=(ompls_complex<T> a, U b) { return !(a == b); }
template <typename T, typename U, OMPLS_NUMERIC(U)> static __device__ bool operator==(U a, ompls_complex<T> b) { return b == a; }
template <typename T, typename U, OMPLS_NUMERIC(U)> static __device__ bool operator!=(U a, ompls_complex<T> b) { return !(b == a); }
#undef OMPLS_NUMERIC
template <typename T> static __device__ ompls_complex<T> operator+(ompls_complex<T> z) { return z; }
template <typename T> static __device__ ompls_complex<T> operator-(ompls_complex<T> z) { return {-z.re, -z.im}; }
template <typename T> static __device__ ompls_complex<T> operator~(ompls_complex<T> z) { return {z.re, -z.im}; }

// <complex.h>, for double and for float.
#define OMPLS_COMPLEX_FUNCTIONS(T, f)                                                                                  \
    typedef ompls_complex<T> ompls_z##f;                                                                               \
    static __device__ T creal##f(ompls_z##f z) { return z.re; }                                                        \
    static __device__ T cimag##f(ompls_z##f z) { return z.im; }                                                        \
    static __device__ ompls_z##f conj##f(ompls_z##f z) { return {z.re, -z.im}; }                                       \
    static __device__ T cabs##f(ompls_z##f z) { return hypot##f(z.re, z.im); }                                         \
    static __device__ T carg##f(ompls_z##f z) { return atan2##f(z.im, z.re); }                                         \
    static __device__ ompls_z##f cproj##f(ompls_z##f z) {                                                              \
        if (!isinf(z.re) && !isinf(z.im)) return z;                                                                    \
        return {T(1e300) * T(1e300), copysign##f(T(0), z.im)};                                                            \
    }                                                                                                                  \
    static __device__ ompls_z##f cexp##f(ompls_z##f z) {                                                               \
        const T r = exp##f(z.re);                                                                                      \
        return {r * cos##f(z.im), z.im == 0 ? z.im : r * sin##f(z.im)};                                                \
    }                                                                                                                  \
    static __device__ ompls_z##f clog##f(ompls_z##f z) { return {log##f(hypot##f(z.re, z.im)), carg##f(z)}; }           \
    static __device__ ompls_z##f csqrt##f(ompls_z##f z) {                                                              \
        if (z.re == 0 && z.im == 0) return {0, z.im};                                                                  \
        if (z.im == 0) return z.re < 0 ? ompls_z##f(0, copysign##f(sqrt##f(-z.re), z.im)) : ompls_z##f(sqrt##f(z.re), z.im); \
        const T d = hypot##f(z.re, z.im);                                                                              \
        if (z.re > 0) {                                                                                                \
            const T r = sqrt##f(T(0.5) * (d + z.re));                                                                  \
            return {r, T(0.5) * (z.im / r)};                                                                           \
        }                                                                                                              \
        const T s = sqrt##f(T(0.5) * (d - z.re));                                                                      \
        return {fabs##f(T(0.5) * (z.im / s)), copysign##f(s, z.im)};                                                   \
    }                                                                                                                  \
    static __device__ ompls_z##f cpow##f(ompls_z##f a, ompls_z##f b) { return cexp##f(b * clog##f(a)); }                \
    static __device__ ompls_z##f csinh##f(ompls_z##f z) { return {sinh##f(z.re) * cos##f(z.im), cosh##f(z.re) * sin##f(z.im)}; } \
    static __device__ ompls_z##f ccosh##f(ompls_z##f z) { return {cosh##f(z.re) * cos##f(z.im), sinh##f(z.re) * sin##f(z.im)}; } \
    static __device__ ompls_z##f csin##f(ompls_z##f z) { return {sin##f(z.re) * cosh##f(z.im), cos##f(z.re) * sinh##f(z.im)}; } \
    static __device__ ompls_z##f ccos##f(ompls_z##f z) { return {cos##f(z.re) * cosh##f(z.im), -(sin##f(z.re) * sinh##f(z.im))}; }
OMPLS_COMPLEX_FUNCTIONS(double, )
OMPLS_COMPLEX_FUNCTIONS(float, f)
#undef OMPLS_COMPLEX_FUNCTIONS
