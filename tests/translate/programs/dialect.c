/* C that is not C++. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <math.h>
#include <uchar.h>
#include <wchar.h>
#include "region.h"

enum colour { RED = 1, GREEN, BLUE = 7 };
typedef enum { LOW, HIGH } level;
struct class_ {
    int new, this;
    enum colour colour;
};
static const double factors[2] = {0.5, 2};
static inline int *pick(void *from, int k) { return (int *)from + k; }
typedef struct { float x, y; } float2;
static float2 added(float2 a, float2 b)
{
    float2 r = {a.x + b.x, a.y + b.y};
    return r;
}
static int twice(int template) { return 2 * template; }
static int min(int a, int b) { return a < b ? a : b; }
static double scaled(double x, level which) { return x * factors[which]; }

#define REGION(text) _Pragma(#text)
#define WITH(body) do { REGION(omp target map(tofrom : value)) body } while (0)
#define SIZE 10

/* Types of characters are keywords in C++, and typedefs of a header in C. */
static int wide_characters(void)
{
    int sum = 0;
#pragma omp target map(tofrom : sum)
    {
        const wchar_t *s = L"abc";
        const char32_t c = U'd';
        sum = s[1] + c;
    }
    return sum;
}
/* The function's name is the user's, not the kernel's. */
static int own_name(void)
{
    int length = 0, first = 0;
#pragma omp target map(tofrom : length, first)
    {
        const char *name = __FUNCTION__;
        length = sizeof(__func__);
        first = name[0];
    }
    return length == sizeof(__func__) && first == __func__[0];
}
int main(void)
{
    typedef struct { int x, y; } point;
    struct local { float f; } lone = {1.5f};
    int value = 0, operator = 3;
    int64_t wide = 1;
    _Bool flag = 0;
    double d = 0;
    int *restrict heap = malloc(SIZE * sizeof *heap);
    struct class_ object = {.this = 2, .new = 1};
#pragma omp target map(tofrom : object, heap[0 : SIZE], flag, d, wide) map(from : lone)
    {
        void *raw = heap;
        int *typed = raw;
        enum colour c = GREEN;
        c = c + 1;
        c |= 4;
        point p = {.y = operator, .x = 1}, q;
        q = (point){p.y, p.x};
        double pair[2] = {operator, value};
        const char *name = "text";
        char *loose = "loose // not a comment";
        typed[0] = twice(q.x) + min(4, 9) + (name[0] == 't') + (loose[6] == '/');
        *pick(raw, 1) = object.new + object.this;
        object.colour = c;
        object.this = object.new ? RED : BLUE;
        flag = !flag;
        d = scaled(pair[0], HIGH) + fabs(-1.0);
        wide <<= 40;
        uint8_t small = 250;
        small += 10;
        typed[2] = small;
        typed[3] = sizeof(point) + sizeof(struct local) + _Alignof(int);
        lone.f = 2.5f;
        for (int i = 4; i < SIZE; i++)
            typed[i] = i % 2 ? (typed == NULL) : i;
    }
    float2 f = {1, 2};
    int infinite = 0, number = 1;
#pragma omp target map(tofrom : f, infinite, number)
    {
        f = added(f, f);
        infinite = isinf(INFINITY * f.x) != 0 && INFINITY > 1e308;
        number = isnan(NAN) ? 0 : 1;
        goto out;
    out:
        switch (infinite) {
        case 1:
            infinite = 5;
            break;
        default:
            infinite = 0;
        }
    }
    if (f.x != 2 || f.y != 4 || infinite != 5 || number) {
        printf("%g %g %d %d\n", f.x, f.y, infinite, number);
        return 1;
    }
    int wrong = heap[0] != 6 + 4 + 1 + 1 || heap[1] != 3 || object.colour != 7 || object.this != 1 || !flag || d != 7 ||
                wide != (int64_t)1 << 40 || heap[2] != 4 || heap[3] != 16 || lone.f != 2.5f || heap[8] != 8;
    if (wrong)
        printf("%d %d %d %d %d %g %ld %d %d %g %d\n", heap[0], heap[1], object.colour, object.this, flag, d, (long)wide,
               heap[2], heap[3], lone.f, heap[8]);
    WITH({ value = 5; });
    WITH(value += SIZE;);
    value += from_header(4); WITH(value++;); value += 100;
    if (value != 5 + 10 + 8 + 1 + 100) {
        printf("value %d\n", value);
        wrong = 1;
    }
    free(heap);
    if (!own_name())
        wrong = 1;
    if (wide_characters() != 'b' + 'd')
        wrong = 1;
    return wrong;
}
