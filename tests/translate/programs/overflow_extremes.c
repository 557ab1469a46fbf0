/* gcc's __builtin_*_overflow of every pair of types up to 64 bits, at the ends of their ranges. */
#include <stdio.h>

#define VALUES 12
static const unsigned long long ends[VALUES] = {
    0, 1, 127, 128, 255, 32768, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~0ull - 1};

#define ONE(how, A, B, R) \
    for (int i = 0; i < VALUES; i++) \
        for (int j = 0; j < VALUES; j++) { \
            R r = 0; \
            int over = __builtin_##how##_overflow((A)v[i], (B)v[j], &r); \
            hash = (hash ^ (unsigned long long)r) * 1099511628211u + (unsigned)over + hash / 7; \
        }
#define HOW(A, B, R) ONE(add, A, B, R) ONE(sub, A, B, R) ONE(mul, A, B, R)
#define RESULT(A, B) HOW(A, B, signed char) HOW(A, B, unsigned) HOW(A, B, long) HOW(A, B, unsigned long)
#define ALL(hash, v) \
    do { \
        RESULT(short, unsigned char) RESULT(int, unsigned) RESULT(long, long) RESULT(unsigned long, long) \
        RESULT(unsigned long, unsigned long) \
    } while (0)

int main(void)
{
    unsigned long long v[VALUES], hash = 1, there = 0;
    for (int i = 0; i < VALUES; i++) v[i] = ends[i];
    ALL(hash, v);
    #pragma omp target map(to: v) map(from: there)
    {
        unsigned long long hash = 1;
        ALL(hash, v);
        there = hash;
    }
    if (there != hash) printf("%llx instead of %llx\n", there, hash);
    return there != hash;
}
