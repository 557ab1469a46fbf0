/* Initializers and literals of C: designators in any order, unions, compound literals, what is nested, narrowing. */
#include <math.h>
#include <stddef.h>

#include "tried.h"

/* What the functions below give on a device is what they give on the host. */
#pragma omp declare target
struct s {
    int a;
    double b;
    struct {
        int x, y;
    } c;
    int d[3];
};
static int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
static int g(const struct s *p) { return p->a + p->c.y; }
static void compound_literals(double *r, long n)
{
    int *p = (int[]){1, 2, 3};
    r[0] = p[2];
    r[1] = sum((int[]){4, 5, 6}, 3);
    r[2] = g(&(struct s){.a = 1, .c = {.y = 5}});
    r[3] = *&(int){7};
    struct s v = (struct s){1, 2, {3, 4}, {5, 6, 7}};
    r[4] = v.d[2];
    r[5] = (struct s){.d = {[2] = 9}}.d[2];
    int *q = &(int){n};
    *q += 1;
    r[6] = *q;
    p = (int[5]){[3] = 8};
    r[7] = p[3] + p[4];
    r[8] = ((int[]){1, 2, 3})[1];
    const char *str = (char[]){"abc"};
    r[9] = str[1];
    r[10] = (double){3};
    r[11] = sizeof((int[]){1, 2, 3, 4});
}
/* Of types without a name, and parts of literals whose address is taken. */
static void unnamed_literals(double *r, long n)
{
    r[0] = ((struct { int a, b; }){1, 2}).b;
    const int *p = &(struct { int a, b; }){5, 6}.b;
    r[1] = *p;
    r[2] = ((struct { int a; struct { int c[2]; } in; }){n, {{2, 3}}}).in.c[1];
    r[3] = ((union { int i; float f; }){n}).i;
    r[4] = ((struct { struct s m[2]; int n; }){.n = 4, .m[1].c.y = 9}).m[1].c.y;
    int *q = &(struct s){.d = {7, 8}}.d[1], *t = &((struct s){.c = {11}}).c.x;
    r[5] = *q + *t;
}
struct pair {
    int a, b;
};
struct mixed {
    int x;
    struct pair i;
    int arr[6];
    union {
        int u;
        float f;
    };
    struct pair t[3];
};
static void designators(double *r, long n)
{
    int a[10] = {[5] = 1, 2, [1] = 7};
    r[0] = a[5] + a[6] * 10 + a[1] * 100;
    struct mixed v = {.arr = {1, 2, [4] = 5}, .x = 3, .i.b = 9, .t[1].a = 4, .t[2] = {5, 6}};
    r[1] = v.arr[4];
    r[2] = v.i.b;
    r[3] = v.t[1].a;
    r[4] = v.t[2].b;
    r[5] = v.x;
    int b[] = {[0 ... 4] = 2, [7] = 3};
    r[6] = sizeof b / sizeof *b;
    r[7] = b[3] + b[7];
    struct mixed w = {.f = 2.5f};
    r[8] = w.f;
    struct pair ar[2] = {{.b = 1}, {.a = 2}};
    r[9] = ar[0].b + ar[1].a;
    int m[2][3] = {1, 2, 3, 4};
    r[10] = m[1][0];
    struct mixed x = {1, 2, 3, 4, 5};
    r[11] = x.i.b + x.arr[1];
    int e[3] = {[2] = 1, [0] = 5};
    r[12] = e[0] + e[2];
    union {
        int i;
        double d;
    } uu = {.d = 1.5};
    r[13] = uu.d;
    char s1[10] = "hi", s2[] = "hello", s3[2] = "ab";
    r[14] = s1[1] + sizeof s2 + s3[1];
}
struct o {
    int t;
    union {
        struct {
            int a, b;
        };
        long l;
    };
    struct {
        char c;
    } in;
    enum { EA, EB } e;
};
struct out {
    struct inn {
        int z;
    } i;
    struct inn j;
};
static struct inn inner(int z)
{
    struct inn q = {z};
    return q;
}
static void anonymous_members(double *r, long n)
{
    struct o x = {.t = 1, .a = 2, .b = 3, .in = {4}, .e = EB};
    r[0] = x.l;
    x.l = 5;
    r[1] = x.a;
    r[2] = x.in.c;
    r[3] = x.e == EB;
    struct inn q = inner(4);
    struct out w = {q, {5}};
    r[4] = w.i.z + w.j.z;
    struct out v;
    v = w;
    r[5] = v.j.z;
    r[6] = inner(9).z;
    x.e = 1;
    x.e++;
    r[7] = x.e;
    struct o ar[2] = {{.t = 5}, {.t = 6}};
    ar[0] = ar[1];
    r[8] = ar[0].t;
    r[9] = offsetof(struct o, in);
    struct o *px = ar;
    px->e |= EB;
    r[10] = px->e;
}
struct pt {
    int x, y;
};
static inline struct pt point(int x, int y) { return (struct pt){.y = y, .x = x}; }
static struct pt added(struct pt a, struct pt b) { return (struct pt){a.x + b.x, a.y + b.y}; }
static void literal_results(double *r, long n)
{
    struct pt a = added(point(1, 2), (struct pt){3, 4});
    r[0] = a.x;
    r[1] = a.y;
    struct pt b[] = {{1, 2}, {.y = 5}};
    r[2] = b[1].y;
    a = (struct pt){.x = 9};
    r[3] = a.y;
    struct pt c = {.x = 1, .y = point(2, 3).y};
    r[4] = c.y;
}
struct a {
    int v[4];
    struct {
        double m[2][2];
    } n;
};
static struct a array(int k)
{
    struct a x = {{k, k + 1}};
    x.n.m[1][0] = k;
    return x;
}
static int get(struct a x)
{
    x.v[0] = 100;
    return x.v[1];
}
typedef struct {
    struct a a[2];
} two;
static void array_members(double *r, long n)
{
    struct a x = array(3);
    r[0] = get(x);
    r[1] = x.v[0];
    r[2] = x.n.m[1][0];
    two t = {{array(1), array(2)}};
    r[3] = t.a[1].v[0];
    two u = t;
    u.a[0] = u.a[1];
    r[4] = u.a[0].v[1];
    r[5] = array(7).v[1];
    struct a *p = &u.a[1];
    *p = array(8);
    r[6] = u.a[1].v[0];
    struct a y = {0};
    r[7] = y.v[3];
    struct a z = n ? x : y;
    r[8] = z.v[0];
    r[9] = (n ? x : y).v[1];
}
struct p {
    float x, y;
    short s;
    unsigned char c;
    long l;
};
static void narrowing(double *r, long n)
{
    int a = 5;
    double d = 2.5;
    struct p q = {d, a, a * 1000, n, a};
    struct p w = {d * 2, 1.1, -1, 300 - 45, -1};
    float fa[3] = {d, a, 1.1};
    int ia[2] = {d, 3.9};
    unsigned u[2] = {-1, n - 5};
    r[0] = q.x + q.s + q.c;
    r[1] = w.c + w.l;
    r[2] = fa[2];
    r[3] = ia[0] + ia[1];
    r[4] = u[0];
    r[5] = u[1];
    char cc[3] = {200, a, -1};
    r[6] = cc[0];
    _Bool bb[2] = {5, d};
    r[7] = bb[0] + bb[1];
}
enum e { A = 1, B = 2, C = 4 };
static enum e nx(enum e x) { return x << 1; }
struct q {
    enum e f;
    enum e g[2];
};
static void enumerations(double *r, long n)
{
    enum e x = A | B;
    x = nx(A);
    x |= C;
    x ^= 1;
    r[0] = x;
    x++;
    r[1] = x;
    switch (x) {
    case A:
        r[2] = 1;
        break;
    case B:
        r[2] = 2;
        break;
    default:
        r[2] = 3;
    }
    struct q s = {A | C, {3, B}};
    r[3] = s.f + s.g[0];
    enum { LX = 10, LY = LX * 2 } l = LY;
    r[4] = l;
    int ar[C] = {[B] = 5};
    r[5] = ar[2];
    r[6] = x == 7;
    enum e y = n;
    y = (n, B);
    r[7] = y;
    enum e *pe = &y;
    *pe = C;
    *pe += 1;
    r[8] = y;
    r[9] = -A < 0;
    enum e z = n > 2 ? A : 3;
    r[10] = z;
    for (enum e i = A; i < C; i++)
        r[11]++;
    enum e arr2[3] = {1, 0, 2};
    r[12] = arr2[2];
    r[13] = (enum e)5;
    r[14] = sizeof(enum e) + sizeof(A);
}
#pragma omp end declare target
int main(void)
{
    long n = 3;
    TRY(compound_literals, n);
    TRY(unnamed_literals, n);
    TRY(designators, n);
    TRY(anonymous_members, n);
    TRY(literal_results, n);
    TRY(array_members, n);
    TRY(narrowing, n);
    TRY(enumerations, n);
    return failures != 0;
}
