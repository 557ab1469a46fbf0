/* Constructs whose instructions are counted (test_instructions.py): each is met once, and then TIMES between two calls of
   `boundary`.  The names are printed in this order.  What is looked up lies in one block of the present table, and nearly alone
   there: else the counts would depend on addresses. */
#include <stddef.h>
#include <stdio.h>

enum { TIMES = 100 };

#define TEN(p) p##0[:8], p##1[:8], p##2[:8], p##3[:8], p##4[:8], p##5[:8], p##6[:8], p##7[:8], p##8[:8], p##9[:8]
#define HUNDRED TEN(a0), TEN(a1), TEN(a2), TEN(a3), TEN(a4), TEN(a5), TEN(a6), TEN(a7), TEN(a8), TEN(a9)
#define DECLARE(p) static double p##0[8], p##1[8], p##2[8], p##3[8], p##4[8], p##5[8], p##6[8], p##7[8], p##8[8], p##9[8];
DECLARE(a0) DECLARE(a1) DECLARE(a2) DECLARE(a3) DECLARE(a4) DECLARE(a5) DECLARE(a6) DECLARE(a7) DECLARE(a8) DECLARE(a9)
static _Alignas(256) char data[64];

static void empty_region(void) {
#pragma omp target
    {
    }
}

static void present_1(void) {
#pragma omp target map(tofrom : a00[:8])
    a00[0] += 1;
}

static void present_10(void) {
#pragma omp target map(tofrom : TEN(a0))
    a00[0] += a01[0] + a02[0] + a03[0] + a04[0] + a05[0] + a06[0] + a07[0] + a08[0] + a09[0];
}

static void present_100(void) {
#pragma omp target map(tofrom : HUNDRED)
    a00[0] += a99[0];
}

static void update(void) {
#pragma omp target update to(data[:64])
#pragma omp target update from(data[:64])
}

static void enter_exit(void) {
#pragma omp target enter data map(to : data[:64])
#pragma omp target exit data map(from : data[:64])
}

static void target_data(void) {
#pragma omp target data map(tofrom : data[:64])
    {
    }
}

__attribute__((noinline)) void boundary(void) {
    __asm__ volatile("" ::: "memory");
}

#define COUNT(name)                             \
    do {                                        \
        name();                                 \
        boundary();                             \
        for (int i = 0; i < TIMES; i++) name(); \
        boundary();                             \
        puts(#name);                            \
    } while (0)

int main(void) {
    COUNT(empty_region);
    COUNT(enter_exit);
    COUNT(target_data);
#pragma omp target data map(tofrom : data[:64])
    COUNT(update);
#pragma omp target data map(tofrom : HUNDRED)
    {
        COUNT(present_1);
        COUNT(present_10);
        COUNT(present_100);
    }
    return a00[0] == TIMES + 1 ? 0 : 1;
}
