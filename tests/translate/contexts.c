#include <stdio.h>
#include "contexts.h"
static int calls;
static int one(void) { calls++; return 1; }
static int zero(void) { calls += 10; return 0; }
#define REGION(x) _Pragma("omp target map(tofrom: x)") x += 1;
#define TWO(x) REGION(x) REGION(x)
struct class { int new, this; };
int main(void)
{
    int x = 0, k = 0;
#pragma omp target teams num_teams(one()) thread_limit(one() + 31) map(tofrom: x)
    x++;
    printf("teams %d %d\n", x, calls > 1);
    calls = 0;
#pragma omp target parallel num_threads(one()) if(target: one()) device(zero()) map(tofrom: x)
    x++;
    printf("threads %d calls %d\n", x, calls);
    calls = 0;
#pragma omp target teams distribute parallel for schedule(static, one()) num_teams(k++ + 1) map(tofrom: x) if(target: zero())
    for (int i = 0; i < 3; i++)
#pragma omp atomic
        x++;
    printf("chunk %d %d\n", x, k);
#pragma omp target data map(tofrom: x) if(one())
    ;
    if (x)
#pragma omp target map(tofrom: x)
        if (x > 100) x = 1; else x += 5;
    else
#pragma omp target map(tofrom: x)
        x = -1;
    printf("else %d\n", x);
    switch (x & 1) {
    case 0:
#pragma omp target map(tofrom: x)
        x += 2;
        break;
    default:
    lab:
#pragma omp target map(tofrom: x)
        { x += 3; }
    }
    if (x == 3) goto lab;
    printf("case %d\n", x);
    int y = ({ int t = x;
_Pragma("omp target map(tofrom: t)")
        t *= 2; t; });
    printf("stmt %d\n", y);
    TWO(y)
    printf("macro %d %d\n", y, in_header(4));
    _Pragma("omp target map(tofrom: x)") x++; _Pragma("omp target map(tofrom: x)") { x++; }
    printf("line %d\n", x);
    int threadIdx = 3, blockIdx = 4, warpSize = 5, gridDim = 6, blockDim = 7, ompls_mine = 1, ompls_team = 2, ompls_count = 3, it = 1, memcpy_ = 4;
    struct class class = {1, 2};
    int template = 8, operator = 0, and = 9, asm_ = 1, float2 = 5, dim3 = 2;
#pragma omp target teams distribute parallel for map(tofrom: template, class) reduction(+: operator)
    for (int i = 0; i < 10; i++) {
        operator += threadIdx + blockIdx + warpSize + gridDim * blockDim + it + class.new + and + float2 + dim3;
        if (i == 2) { template++; class.this = 7; }
    }
    printf("names %d %d %d\n", template, operator, class.this);
    int n = 4; unsigned un = 6; long big = 0; unsigned char uc = 250; int neg = -1; long total = 0;
#pragma omp target teams distribute parallel for reduction(+: total)
    for (unsigned char c = 300 - n; c < uc; c++) total += c;
#pragma omp target teams distribute parallel for reduction(+: total)
    for (unsigned i = un; i > n; i--) total += i;
#pragma omp target teams distribute parallel for reduction(+: total)
    for (unsigned i = -4; i < neg; i++) total += i & 255;
#pragma omp target teams distribute parallel for reduction(+: total)
    for (int i = un; i >= neg; i -= n) total += i;
#pragma omp target teams distribute parallel for reduction(+: total) collapse(2)
    for (short i = neg; i < n; i++) for (long j = un; j > big; j -= 2) total += i * j;
    printf("loops %ld\n", total);
    volatile int vol = 2; const volatile int cv = 3; 
#pragma omp target map(tofrom: vol)
    { vol += cv; volatile int inside = vol; vol = inside + 1; }
    printf("volatile %d\n", vol);
    const char *s = "h\303\244 /* no */ // no \" ??/";
    /* form feed in a comment  x */ // and here   y = 5;
    int len = 0;
#pragma omp target map(to: s[0:8]) map(tofrom: len)
    { // café  len = 100;
      for (int i = 0; i < 8; i++) len += s[i] == '\303' ? 10 : 1; }
    printf("text %d\n", len);
#line 500 "other.c"
    int z = 0;
#pragma omp target map(tofrom: z)
    z = __LINE__;
    printf("line %d %d %s\n", z, __LINE__, __FILE__);
    return 0;
}
