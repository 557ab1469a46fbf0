/* atomic compare in all its forms, on several types; orders of memory; flush. */
#include "expect.h"

int main(void)
{
    int most = -5, least = 1000, first = -1, swapped = 0, wins = 0, seen = 0, losers = 0, next = 0;
    double high = -1, low = 1e9;
    unsigned char small = 0;
    long chain = 0, late = 0;
    int winner[64] = {0};
#pragma omp target parallel for num_threads(64) \
    map(tofrom : most, least, first, swapped, wins, seen, losers, high, low, small, chain, late, winner, next)
    for (int i = 0; i < 64; i++) {
        const int value = (i * 37) % 64;
        int r, v = -7;
#pragma omp atomic compare
        if (most < value) {
            most = value;
        }
#pragma omp atomic compare
        least = value < least ? value : least;
#pragma omp atomic compare seq_cst
        if (value / 3.0 > high) {
            high = value / 3.0;
        }
#pragma omp atomic compare acq_rel
        low = low > value + 0.5 ? value + 0.5 : low;
#pragma omp atomic compare
        if (small < value) {
            small = value;
        }
#pragma omp atomic compare capture weak
        {
            r = first == -1;
            if (r) {
                first = i;
            }
        }
        if (r) {
#pragma omp atomic
            wins++;
        }
#pragma omp atomic compare capture fail(acquire)
        if (swapped == 0) {
            swapped = i + 1;
        } else {
            v = swapped;
        }
        if (v != -7) {
#pragma omp atomic update relaxed
            losers++;
        }
        int before;
#pragma omp atomic compare capture
        {
            before = next;
            if (next == 0) {
                next = 64;
            }
        }
        if (before == 0) {
#pragma omp atomic
            seen++;
        }
        int after;
#pragma omp atomic compare capture
        {
            if (chain < i) {
                chain = i;
            }
            after = chain;
        }
        winner[i] = after >= i;
#pragma omp atomic write release
        late = 5;
        long got;
#pragma omp flush
#pragma omp atomic read acquire
        got = late;
        if (got != 5)
            late = 1000;
    }
    expect(most, 63, "maximum");
    expect(least, 0, "minimum");
    expect(high, 21, "double maximum");
    expect(low, 0.5, "double minimum");
    expect(small, 63, "unsigned char maximum");
    expect(first >= 0 && first < 64, 1, "compare and swap");
    expect(wins, 1, "one wins");
    expect(losers, 63, "the others lose");
    expect(seen, 1, "old value");
    expect((double)chain, 63, "new value");
    for (int i = 0; i < 64; i++)
        expect(winner[i], 1, "captured after");
    expect((double)late, 5, "release and acquire");
    return failures != 0;
}
