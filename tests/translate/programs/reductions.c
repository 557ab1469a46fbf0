/* Every reduction operator, on several types; array reductions; atomics in all their forms. */
#include "expect.h"

int main(void)
{
    int n = 500;
    int add = 1, band = 0xff, bor = 0, bxor = 5, land = 1, lor = 0;
    long long product = 1;
    double low = 1e9, high = -1e9;
    float f = 0;
    unsigned char tiny = 0;
#pragma omp target teams distribute parallel for map(tofrom : add, product, low, high, f, band, bor, bxor, land, lor, tiny) \
    reduction(+ : add, f, tiny) reduction(* : product) reduction(min : low) reduction(max : high) \
    reduction(& : band) reduction(| : bor) reduction(^ : bxor) reduction(&& : land) reduction(|| : lor)
    for (int i = 0; i < n; i++) {
        add += i;
        if (i < 10)
            product *= 3;
        low = i - 100 < low ? i - 100 : low;
        high = i > high ? i : high;
        f += 0.5f;
        band &= i == 7 ? 0xf0 : 0xff;
        bor |= 1 << (i % 9);
        bxor ^= i;
        land = land && i < 499;
        lor = lor || i == 300;
        tiny += 1;
    }
    int x = 5;
    for (int i = 0; i < n; i++)
        x ^= i;
    expect(add, 124751, "+");
    expect((double)product, 59049, "*");
    expect(low, -100, "min");
    expect(high, 399 + 100, "max");
    expect(f, 250, "float +");
    expect(band, 0xf0, "&");
    expect(bor, 0x1ff, "|");
    expect(bxor, x, "^");
    expect(land, 0, "&&");
    expect(lor, 1, "||");
    expect(tiny, (unsigned char)500, "unsigned char +");

    int bins[4] = {1, 2, 3, 4};
#pragma omp target teams distribute parallel for reduction(+ : bins) map(tofrom : bins)
    for (int i = 0; i < n; i++)
        bins[i % 4] += 1;
    for (int k = 0; k < 4; k++)
        expect(bins[k], 126 + k, "array reduction");

    int u = 0, c = 0, seen = -1, turn = 100;
    double d = 1024;
    long captured = 0;
#pragma omp target parallel for map(tofrom : u, c, seen, d, captured, turn) num_threads(64)
    for (int i = 0; i < 64; i++) {
#pragma omp atomic
        u++;
#pragma omp atomic update
        u = u + 2;
#pragma omp atomic update
        u = 3 + u;
#pragma omp atomic
        u -= 1;
        int before, after;
#pragma omp atomic capture
        before = c++;
#pragma omp atomic capture
        {
            c += 2;
            after = c;
        }
        if (before >= 0 && after > 0) {
#pragma omp atomic
            captured++;
        }
        if (i < 10) {
#pragma omp atomic
            d /= 2;
        }
        if (i == 63) {
#pragma omp atomic write
            seen = i;
        }
#pragma omp critical
        turn = turn + 1;
#pragma omp critical(other)
        {
            turn = turn + 0;
        }
    }
    expect(u, 64 * 5, "atomic update");
    expect(c, 64 * 3, "atomic capture");
    expect((double)captured, 64, "captured");
    expect(d, 1, "atomic /=");
    expect(seen, 63, "atomic write");
    expect(turn, 164, "critical");
    /* What a pointer leads to is mapped because a reduction of the combined construct lists it. */
    int parts[6] = {0}, length = 4, *lead = parts + 1;
#pragma omp target parallel for reduction(+ : lead[0 : length])
    for (int i = 0; i < 100; i++)
        lead[i % 4] += i;
    expect(parts[0] + parts[5], 0, "beside the section");
    expect(parts[2], 1225, "an element of the section");
    return failures != 0;
}
