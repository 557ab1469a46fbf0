/* What a construct costs when there is nothing to do but the book-keeping: ns per construct, best of some rounds.
   Plain OpenMP, so that every compiler with a device can be measured with it (core_bench.py). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEN(p) p##0[:8], p##1[:8], p##2[:8], p##3[:8], p##4[:8], p##5[:8], p##6[:8], p##7[:8], p##8[:8], p##9[:8]
#define HUNDRED TEN(a0), TEN(a1), TEN(a2), TEN(a3), TEN(a4), TEN(a5), TEN(a6), TEN(a7), TEN(a8), TEN(a9)
#define DECLARE(p) \
    static double p##0[8], p##1[8], p##2[8], p##3[8], p##4[8], p##5[8], p##6[8], p##7[8], p##8[8], p##9[8];
#define DECLARE_HUNDRED(p)                                                                                              \
    DECLARE(p##0) DECLARE(p##1) DECLARE(p##2) DECLARE(p##3) DECLARE(p##4) DECLARE(p##5) DECLARE(p##6) DECLARE(p##7)      \
    DECLARE(p##8) DECLARE(p##9)
#define HUNDRED_OF(p)                                                                                                   \
    TEN(p##0), TEN(p##1), TEN(p##2), TEN(p##3), TEN(p##4), TEN(p##5), TEN(p##6), TEN(p##7), TEN(p##8), TEN(p##9)
#define THOUSAND                                                                                                        \
    HUNDRED_OF(b0), HUNDRED_OF(b1), HUNDRED_OF(b2), HUNDRED_OF(b3), HUNDRED_OF(b4), HUNDRED_OF(b5), HUNDRED_OF(b6),      \
        HUNDRED_OF(b7), HUNDRED_OF(b8), HUNDRED_OF(b9)
DECLARE_HUNDRED(b0) DECLARE_HUNDRED(b1) DECLARE_HUNDRED(b2) DECLARE_HUNDRED(b3) DECLARE_HUNDRED(b4)
DECLARE_HUNDRED(b5) DECLARE_HUNDRED(b6) DECLARE_HUNDRED(b7) DECLARE_HUNDRED(b8) DECLARE_HUNDRED(b9)
DECLARE(a0) DECLARE(a1) DECLARE(a2) DECLARE(a3) DECLARE(a4) DECLARE(a5) DECLARE(a6) DECLARE(a7) DECLARE(a8) DECLARE(a9)

#ifndef ROUNDS
#define ROUNDS 70 /* short ones: on a machine that is busy, some are not interrupted */
#endif

#define MEASURE(name, times, ...)                                           \
    do {                                                                    \
        double best = 1e30;                                                 \
        for (int round = 0; round < ROUNDS; round++) {                      \
            double start = omp_get_wtime();                                 \
            for (int i = 0; i < (times) / 10; i++) { __VA_ARGS__; }         \
            double each = (omp_get_wtime() - start) / ((times) / 10) * 1e9; \
            if (each < best) best = each;                                   \
        }                                                                   \
        printf("%s %.1f\n", name, best);                                    \
    } while (0)

static void empty(void) {
#pragma omp target
    {
    }
}

static void one(void) {
#pragma omp target map(tofrom : a00[:8])
    a00[0] += 1;
}

static void ten(void) {
#pragma omp target map(tofrom : TEN(a0))
    a00[0] += a01[0] + a02[0] + a03[0] + a04[0] + a05[0] + a06[0] + a07[0] + a08[0] + a09[0];
}

static void hundred(void) {
#pragma omp target map(tofrom : HUNDRED)
    a00[0] += a99[0];
}

static void thousand(void) {
#pragma omp target map(tofrom : THOUSAND)
    b000[0] += b999[0];
}

static void update(char *data, size_t size) {
#pragma omp target update to(data[:size])
#pragma omp target update from(data[:size])
}

static void enter_exit(char *data, size_t size) {
#pragma omp target enter data map(to : data[:size])
#pragma omp target exit data map(from : data[:size])
}

static void environment(char *data, size_t size) {
#pragma omp target data map(tofrom : data[:size])
    {
    }
}

int main(void) {
    size_t mega = 1 << 20;
    char *data = malloc(mega), *copy = malloc(mega);
    memset(data, 1, mega);
    memset(copy, 1, mega);
    int on_device = 0;
#pragma omp target map(from : on_device)
    on_device = !omp_is_initial_device();
    printf("on_device %d\n", on_device);
    MEASURE("empty", 20000, empty());
#pragma omp target data map(tofrom : HUNDRED)
    {
        MEASURE("present_1", 20000, one());
        MEASURE("present_10", 20000, ten());
        MEASURE("present_100", 5000, hundred());
    }
#pragma omp target data map(tofrom : THOUSAND)
    {
        MEASURE("present_1000", 500, thousand());
    }
#pragma omp target data map(tofrom : data[:mega])
    {
        MEASURE("update_1k", 20000, update(data, 1024));
        MEASURE("update_1m", 100, update(data, mega));
    }
    MEASURE("enter_exit_1k", 20000, enter_exit(data, 1024));
    MEASURE("enter_exit_1m", 100, enter_exit(data, mega));
    MEASURE("data_1k", 20000, environment(data, 1024));
    MEASURE("memcpy_1m", 100, memcpy(copy, data, mega); __asm__ volatile("" ::: "memory"));
    return 0;
}
