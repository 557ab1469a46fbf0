/* GNU C and the corners of C that C++ lacks. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

#include "tried.h"

#pragma GCC diagnostic ignored "-Wdiscarded-qualifiers"
#pragma GCC diagnostic ignored "-Wdiscarded-array-qualifiers"
/* What the functions below give on a device is what they give on the host. */
#pragma omp declare target
static void computed_goto(double *r, long n)
{
    static void *t[] = {&&a, &&b};
    int k = 0;
next:
    goto *t[k];
a:
    r[0] = 1;
    k = 1;
    goto next;
b:
    r[1] = 2;
}
static void computed_goto_in_loop(double *r, long n)
{
    void *t[] = {&&a, &&b, &&c};
    for (int i = 0; i < 3; i++) {
        goto *t[i];
    a:
        r[0]++;
        continue;
    b:
        r[1]++;
        continue;
    c:
        r[2]++;
    }
}
static void switch_decl(double *r, long n)
{
    for (int k = 0; k < 4; k++)
        switch (k) {
            int q;
        case 0:
            q = 4;
            r[0] = q;
            break;
        case 1: {
            int z = 3;
            r[1] = z;
        }
        case 2 ... 3:
            q = 9;
            r[2] += q;
        default:
            r[3]++;
        }
}
static void duff(double *r, long n)
{
    int c = 7;
    int k = (c + 3) / 4;
    switch (c % 4) {
    case 0:
        do {
            r[0]++;
        case 3:
            r[0]++;
        case 2:
            r[0]++;
        case 1:
            r[0]++;
        } while (--k > 0);
    }
}
static int successor(int x) __attribute__((noinline, const));
static int successor(int x) { return x + 1; }
struct __attribute__((packed)) pk {
    char a;
    int b;
};
struct al {
    char a;
    int b __attribute__((aligned(16)));
};
typedef int v4 __attribute__((aligned(8)));
static void attributes(double *r, long n)
{
    int u __attribute__((unused)) = 3;
    r[0] = successor(u);
    r[1] = sizeof(struct pk);
    r[2] = sizeof(struct al);
    v4 q = 4;
    r[3] = q + _Alignof(v4);
    _Alignas(32) int w = 5;
    r[4] = w;
    _Static_assert(sizeof(int) == 4, "x");
    _Static_assert(1, "");
    switch (n) {
    case 3:
        r[5] = 1;
        __attribute__((fallthrough));
    default:
        r[6] = 1;
    }
    typeof(n) tt = 4;
    __typeof__(r[0]) *pp = &r[7];
    *pp = tt;
    __auto_type at = 2.5;
    r[8] = at;
    r[9] = ((uintptr_t)&w) % 32;
    struct pk k = {1, 2};
    r[10] = k.b;
    if (__builtin_expect(n == 3, 1))
        r[11] = 1;
}
static void int128(double *r, long n)
{
    __int128 x = (__int128)1 << 100;
    unsigned __int128 u = ~(unsigned __int128)0;
    r[0] = (double)(x >> 90);
    r[1] = (double)(u / 3 % 1000);
    r[2] = (long)(x / 7);
    x *= -3;
    r[3] = (double)x;
    r[4] = x < 0;
    __int128 y = n;
    y = y * y;
    r[5] = (int)y;
}
struct b {
    unsigned a : 3;
    int b : 5;
    unsigned long c : 40;
    int : 0;
    signed d : 7;
    _Bool e : 1;
};
union u {
    float f;
    unsigned u;
    struct {
        unsigned short lo, hi;
    };
};
static void bit_fields(double *r, long n)
{
    struct b x = {1, -3, 1ul << 35, 9, 1};
    x.a += 9;
    x.b--;
    x.c <<= 2;
    x.d = -64;
    r[0] = x.a;
    r[1] = x.b;
    r[2] = x.c;
    r[3] = x.d;
    r[4] = x.e;
    union u q = {1.5f};
    r[5] = q.u;
    r[6] = q.hi;
    r[7] = x.a - 2 < 0;
    r[8] = x.c - (1ul << 39) > 0;
    struct b y = x;
    y.e = 0;
    r[9] = y.e + y.a;
    r[10] = x.a++;
    r[11] = (x.b = n * 25 + 2);
    r[12] = x.a << 31;
}
static void *id(void *p) { return p; }
typedef struct node {
    struct node *next;
    int v;
} node;
static void void_pointers(double *r, long n)
{
    int x = 4;
    int *p = id(&x);
    r[0] = *p;
    const void *cv = &x;
    const int *ci = cv;
    r[1] = *ci;
    node *h = 0;
    for (int i = 0; i < 3; i++) {
        node *q = malloc(sizeof *q);
        q->v = i;
        q->next = h;
        h = q;
    }
    int s = 0;
    for (node *q = h; q; q = q->next)
        s = s * 10 + q->v;
    r[2] = s;
    while (h) {
        node *t = h->next;
        free(h);
        h = t;
    }
    char *c = (void *)&x;
    r[3] = c[0];
    int *np = NULL;
    r[4] = np == NULL;
    p = n ? id(&x) : NULL;
    r[5] = *p;
    char b[4];
    memcpy(b, &x, 4);
    r[6] = b[0];
    unsigned char *up = malloc(4);
    memset(up, 7, 4);
    r[7] = up[3];
    free(up);
    void *vp = &x;
    vp = (char *)vp + 1;
    r[8] = (char *)vp - (char *)&x;
    const char *cs = "ab";
    char *ms = (char *)cs;
    r[9] = ms[1];
    r[10] = *(int *)id(p);
    int (*pa)[3] = malloc(sizeof *pa);
    (*pa)[1] = 5;
    r[11] = pa[0][1];
    free(pa);
    vp++;
    r[12] = sizeof(void) + (vp - (void *)&x);
}
struct fam {
    int n;
    int d[];
};
static void volatile_arrays(double *r, long n)
{
    int one = 1, two = 2;
    int *volatile from[2] = {&one, &two}, *volatile to[2] = {0, 0};
    volatile int numbers[2] = {3, 4};
    int plain[2];
    memcpy(&to, &from, sizeof to);
    memcpy(plain, (void *)numbers, sizeof plain);
    r[0] = *to[1] + plain[1];
}
static void flexible_member(double *r, long n)
{
    struct fam *f = malloc(sizeof *f + 4 * sizeof(int));
    f->n = 4;
    for (int i = 0; i < 4; i++)
        f->d[i] = i;
    r[0] = f->d[3];
    r[1] = sizeof *f;
    free(f);
}
static int kr(a, b)
int a;
char b;
{
    return a + b;
}
static int np() { return 4; }
static int vo(void);
static int vo() { return 3; }
int tent;
int tent;
static int ext(int);
static int ext(x)
int x;
{
    return x;
}
static void old_style(double *r, long n)
{
    r[0] = kr(1, 2);
    r[1] = np();
    r[2] = vo();
    register int q = 3;
    r[3] = q;
    auto int w = 4;
    r[4] = w;
    r[5] = ext(3);
}
static void statement_expressions(double *r, long n)
{
    r[0] = ({
        int q = 4;
        q + 1;
    });
    int z = ({
        int t = 0;
        for (int i = 0; i < n; i++)
            t += i;
        t;
    });
    r[1] = z;
    r[3] = 1;
    for (int i = 0; i < 5; i++) {
        r[4] += ({
            int z = 0;
            while (1) {
                if (z++ == 3)
                    break;
            }
            i;
        });
    }
    int k = ({
        1;
        2;
        3;
    });
    r[5] = k;
}
#define MAX(a, b)                                                                                                      \
    ({                                                                                                                 \
        typeof(a) _a = (a);                                                                                            \
        typeof(b) _b = (b);                                                                                            \
        _a > _b ? _a : _b;                                                                                             \
    })
#define SWAP(T, a, b)                                                                                                  \
    do {                                                                                                               \
        T t_ = a;                                                                                                      \
        a = b;                                                                                                         \
        b = t_;                                                                                                        \
    } while (0)
static void macros(double *r, long n)
{
    r[0] = MAX(3, n);
    int a = 1, b = 2;
    SWAP(int, a, b);
    r[1] = a;
    r[2] = MAX(MAX(1, 2), MAX(n, 2));
}
static void builtins(double *r, long n)
{
    r[0] = __builtin_popcount(n);
    r[1] = __builtin_clz(n);
    r[2] = __builtin_ctz(8 * n);
    r[3] = __builtin_ffs(n + 1);
    r[4] = __builtin_bswap32(n);
    r[5] = __builtin_popcountll(-1ll);
    r[6] = __builtin_clzl(n);
    r[7] = __builtin_parity(n);
    int o;
    r[8] = __builtin_add_overflow(INT_MAX, (int)n, &o);
    r[9] = o;
    r[10] = __builtin_constant_p(3);
    if (n == 4)
        __builtin_unreachable();
    r[11] = __builtin_abs(-4) + __builtin_labs(-3L);
    r[14] = __builtin_sqrt(4) + __builtin_strlen("abc");
    r[15] = __builtin_bswap64(n) + __builtin_bswap16(3);
    if (n == 77)
        __builtin_abort();
    char text[4];
    __builtin_strcpy(text, "xyz");
    r[12] = __builtin_memcmp(text, "xyz", 4) + __builtin_fmaf(2, n, 1) + __builtin_cbrt(8.0f) + __builtin_hypot(3, 4);
    r[13] = __builtin_sqrt(2.0f); /* a double's, not a float's */
}
/* Without instructions: for the compiler only. */
static void empty_assembly(double *r, long n)
{
    int x = 3, y = 4, i = 0, a[] = {1, 2, 3};
    asm volatile("" : "+r"(x), "+m"(y) : "r"(i++), "m"(a) : "memory");
    __asm__("");
    r[0] = x * 100 + y * 10 + i;
}
struct class {
    int new;
    int delete[2];
    struct template {
        int this;
    } typename;
};
enum private { public, protected = 4 };
typedef int namespace;
static int operator(int virtual) { return virtual * 2; }
static namespace using(struct class *friend) { return friend->new + friend->delete[1] + friend->typename.this; }
static int threadIdx = 0;
union export {
    int a;
};
static const int warpSize_ = 3;
static int __syncthreads_(int x) { return x; }
struct dim3 {
    int q;
};
static int blockDim(int x) { return x + 1; }
static void keywords(double *r, long n)
{
    struct class s = {1, {2, 3}, {4}};
    r[0] = operator(3);
    r[1] = using(&s);
    enum private e = protected;
    r[2] = e;
    int blockIdx = 5, gridDim = 6, warpSize = 7, not = 1, and = 2, nullptr = 3, try = 4, catch = 5, this = 6, true_ = 1;
    r[3] = blockIdx + gridDim + warpSize + not + and + nullptr + try + catch + this;
    struct dim3 d = {3};
    r[4] = d.q;
    r[5] = blockDim(3);
    namespace asm_ = 3;
    r[6] = asm_;
    union export ex = {4};
    r[7] = ex.a;
    goto delete;
delete:
    r[8] = 1;
    int std = 3, string = 4, vector = 5, __shared__x = 2, int2 = 4, float4 = 6, alignas = 7, max = 8, min = 9;
    r[9] = std + string + vector + int2 + float4 + alignas + max + min;
}
struct wide { const char16_t *s; char32_t four[4]; };
static char32_t character(const char32_t *p, int k) { return p[k]; }
static void characters(double *r, long n)
{
    char16_t a = u'x';
    const char16_t *t = u"ab";
    const char32_t *v = U"cd";
    char16_t in[] = u"xyz", exact[3] = u"xyz", more[6] = u"\u00e9\U0001F600";
    wchar_t wide[2] = L"\u20acx";
    struct wide both = {u"hello", U"four"};
    r[0] = a + t[1] + v[1];
    r[1] = in[2] + exact[1];
    r[2] = more[0] + more[1] + 2 * more[2] + more[3];
    r[3] = both.s[4] + both.four[3];
    r[4] = character(U"zyx", 1) + wide[0];
    r[5] = (n > 100 ? t : u"no")[0] + *u"q" + u"r"[0];
    r[6] = sizeof u"abc" + sizeof U"abc" + sizeof in + sizeof u"\U0001F600";
    /* Where a type is defined. */
    r[7] = sizeof(struct { int a; char b; }) + sizeof(union { double d[3]; char c; }[2]);
    r[8] = _Alignof(struct { double d; }) + sizeof(struct { int q; } *);
    int v5[sizeof(struct { char c[5]; })];
    r[9] = sizeof v5;
}
static int both_truths(int bool, _Bool flag)
{
    int true = bool + flag;
    return true;
}
static void own_truths(double *r, long n)
{
    int bool = 3, count = 0;
    _Bool done = bool == n, last = 0;
    r[0] = bool * 2 + done + both_truths(bool, done);
    {
        int true = 5, false = 1;
        r[1] = true - false;
    }
    ++bool;
#pragma omp parallel for lastprivate(last) reduction(+ : count) firstprivate(bool)
    for (int i = 0; i < 10; i++) {
        last = i & 1;
        count += bool;
    }
    r[2] = count + last;
}
#define T(x) _Generic((x), int: 1, double: 2, float: 3, char *: 4, const char *: 5, default: 6)
static void selection(double *r, long n)
{
    r[0] = T(1);
    r[1] = T(1.0);
    r[2] = T(1.f);
    r[3] = T("a");
    r[4] = T((short)1);
    r[5] = T(n);
}
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static void hanoi(int n, int a, int b, int c, int *k)
{
    if (!n)
        return;
    hanoi(n - 1, a, c, b, k);
    ++*k;
    hanoi(n - 1, c, b, a, k);
}
static void recursion(double *r, long n)
{
    r[0] = ack(2, 3);
    int k = 0;
    hanoi(5, 1, 2, 3, &k);
    r[1] = k;
}
static void swap(int **a, int **b)
{
    int *t = *a;
    *a = *b;
    *b = t;
}
static int sum2(int (*m)[3], int k)
{
    int s = 0;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < 3; j++)
            s += m[i][j];
    return s;
}
static int sump(int a[static 3]) { return a[0] + a[2]; }
static int cst(const int *restrict a, int *const restrict b)
{
    *b = *a;
    return *b;
}
static void pointers(double *r, long n)
{
    int a = 1, b = 2, *p = &a, *q = &b;
    swap(&p, &q);
    r[0] = *p;
    int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    r[1] = sum2(m, 2);
    r[2] = sump(m[1]);
    r[3] = cst(&a, &b);
    int *ap[2] = {p, q};
    r[4] = **ap;
    int (*pf)[3] = &m[1];
    r[5] = (*pf)[2];
    char buf[16];
    double *d = (double *)(buf + 8 - ((uintptr_t)buf & 7));
    *d = 2.5;
    r[6] = *d;
    unsigned long up = (unsigned long)p;
    int *back = (int *)up;
    r[7] = *back;
    r[8] = (intptr_t)p % 4;
}
#pragma omp end declare target
int main(void)
{
    long n = 3;
    TRY(computed_goto, n);
    TRY(computed_goto_in_loop, n);
    TRY(switch_decl, n);
    TRY(duff, n);
    TRY(attributes, n);
    TRY(int128, n);
    TRY(bit_fields, n);
    TRY(void_pointers, n);
    TRY(volatile_arrays, n);
    TRY(flexible_member, n);
    TRY(old_style, n);
    TRY(statement_expressions, n);
    TRY(macros, n);
    TRY(builtins, n);
    TRY(empty_assembly, n);
    TRY(keywords, n);
    TRY(characters, n);
    TRY(own_truths, n);
    TRY(selection, n);
    TRY(recursion, n);
    TRY(pointers, n);
    return failures != 0;
}
