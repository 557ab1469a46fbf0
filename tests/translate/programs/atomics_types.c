/* The operations that the hardware has, on each type: differences, bits, extremes, exchange; and compare and swap. */
#include "expect.h"

#define STRING(x) #x
#define OMP(...) _Pragma(STRING(omp __VA_ARGS__))

/* Every iteration's `old` is what another left: added up, all that was written but the last is seen once. */
#define TEST(T, low, high)                                                                                              \
    do {                                                                                                               \
        T least = high, most = low, down = 100, last = -1 * (T)1, once = 3, twice = 3, seen = 0;                        \
        int swaps = 0;                                                                                                 \
        OMP(target teams distribute parallel for num_teams(4) map(tofrom : least, most, down, last, once, twice, seen, swaps)) \
        for (int i = 0; i < 100; i++) {                                                                                \
            const T value = (T)(low + i);                                                                              \
            T old;                                                                                                     \
            OMP(atomic compare) if (value < least) { least = value; }                                                  \
            OMP(atomic compare) most = most < value ? value : most;                                                    \
            OMP(atomic) down -= 1;                                                                                     \
            OMP(atomic capture) { old = last; last = (T)i; }                                                           \
            OMP(atomic) seen += old;                                                                                   \
            OMP(atomic compare) if (once == 3) { once = (T)i; }                                                        \
            OMP(atomic compare capture) { old = twice; if (twice == (T)3) { twice = (T)7; } }                          \
            if (old == 3) { OMP(atomic) swaps++; }                                                                     \
        }                                                                                                              \
        EXPECT(least, low);                                                                                            \
        EXPECT(most, (T)(low + 99));                                                                                   \
        EXPECT(down, 0);                                                                                               \
        EXPECT((T)(seen + last), (T)(4950 - 1));                                                                       \
        EXPECT(once >= 0 && once < 100, 1);                                                                            \
        EXPECT(twice, 7);                                                                                              \
        EXPECT(swaps, 1);                                                                                              \
    } while (0)
#define TEST_BITS(T)                                                                                                   \
    do {                                                                                                               \
        T all = 0, none = (T)~(T)0, even = 0;                                                                          \
        OMP(target teams distribute parallel for num_teams(4) map(tofrom : all, none, even))                           \
        for (int i = 0; i < (int)(2 * 8 * sizeof(T)); i++) {                                                           \
            const T bit = (T)((T)1 << i / 2);                                                                          \
            OMP(atomic) all |= bit;                                                                                    \
            OMP(atomic) none &= (T)~bit;                                                                               \
            OMP(atomic) even = even ^ bit;                                                                             \
        }                                                                                                              \
        EXPECT(all, (T)~(T)0);                                                                                         \
        EXPECT(none, 0);                                                                                               \
        EXPECT(even, 0);                                                                                               \
    } while (0)

enum colour { RED = 3, GREEN = 7, BLUE = 100 };

int main(void)
{
    TEST(signed char, -50, 120);
    TEST(unsigned char, 7, 255);
    TEST(short, -30000, 30000);
    TEST(int, -2147483647, 2147483647);
    TEST(unsigned, 7u, 4294967295u);
    TEST(unsigned, 4294967100u, 4294967295u);
    TEST(long, -9223372036854775807, 9223372036854775807);
    TEST(unsigned long, 18446744073709551500ul, 18446744073709551615ul);
    TEST(long long, -5ll, 9223372036854775807);
    TEST(unsigned long long, 5ull, 18446744073709551615ull);
    TEST(float, -5.5f, 1e30f);
    TEST(double, -5.5, 1e300);
    TEST_BITS(unsigned char);
    TEST_BITS(short);
    TEST_BITS(int);
    TEST_BITS(unsigned);
    TEST_BITS(long);
    TEST_BITS(unsigned long);
    TEST_BITS(long long);
    TEST_BITS(unsigned long long);

    enum colour c = RED;
    int letter = 'a', count = 0;
#pragma omp target parallel for map(tofrom : c, letter, count)
    for (int i = 0; i < 64; i++) {
        int before;
#pragma omp atomic compare
        if (letter == 'a') {
            letter = 'b';
        }
#pragma omp atomic compare
        if (c == RED) {
            c = GREEN;
        }
#pragma omp atomic capture
        {
            before = letter;
            letter = 'c';
        }
        if (before == 'b') {
#pragma omp atomic
            count++;
        }
    }
    EXPECT(c, GREEN);
    EXPECT(letter, 'c');
    EXPECT(count, 1);
    return failures != 0;
}
