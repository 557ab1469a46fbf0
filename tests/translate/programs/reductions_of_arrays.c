/* Reductions of arrays: what a team adds up in shared memory, and what has to stay in an array of each thread. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static const int sizes[] = {0, 1, 5, 31, 64, 100, 129, 1000, 5000};
enum { LARGE = 700 };
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Integers of all sizes, all the forms of an update. */
static void updates(int n)
{
    int bins[16], bins_too[16];
    unsigned long wide[3][2] = {{1, 2}, {3, 4}, {5, 6}}, wide_too[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    unsigned char bytes[4] = {1, 2, 3, 4}, bytes_too[4] = {1, 2, 3, 4};
    unsigned set[5] = {1, 2, 4, 8, 16}, set_too[5] = {1, 2, 4, 8, 16};
    int clear[2] = {-1, 0x7ff}, clear_too[2] = {-1, 0x7ff};
    long flip[2] = {7, -9}, flip_too[2] = {7, -9};
    for (int k = 0; k < 16; k++)
        bins[k] = bins_too[k] = k;
#pragma omp target teams distribute parallel for map(tofrom : bins, wide, bytes, set, clear, flip)                     \
    reduction(+ : bins, bytes) reduction(- : wide) reduction(| : set) reduction(& : clear) reduction(^ : flip)
    for (int i = 0; i < n; i++) {
        bins[i % 16]++;
        --bins[(i + 3) % 16];
        bins[i & 7] += i % 3 ? i : -i;
        if (i % 5 == 0)
            bins[15] = bins[15] + i;
        else
            bins[14] -= 2;
        wide[i % 3][i % 2] += (unsigned)i * 3u;
        wide[i % 3][0] = 5 + wide[i % 3][0];
        wide[0][i % 2] -= (unsigned char)i;
        bytes[i % 4] += (unsigned char)i;
        set[i % 5] |= 1u << i % 32;
        clear[i % 2] &= ~(1 << i % 11);
        flip[i % 2] ^= -i;
    }
    for (int i = 0; i < n; i++) {
        bins_too[i % 16]++;
        --bins_too[(i + 3) % 16];
        bins_too[i & 7] += i % 3 ? i : -i;
        if (i % 5 == 0)
            bins_too[15] = bins_too[15] + i;
        else
            bins_too[14] -= 2;
        wide_too[i % 3][i % 2] += (unsigned)i * 3u;
        wide_too[i % 3][0] = 5 + wide_too[i % 3][0];
        wide_too[0][i % 2] -= (unsigned char)i;
        bytes_too[i % 4] += (unsigned char)i;
        set_too[i % 5] |= 1u << i % 32;
        clear_too[i % 2] &= ~(1 << i % 11);
        flip_too[i % 2] ^= -i;
    }
    expect(memcmp(bins, bins_too, sizeof bins), 0, "int +");
    expect(memcmp(wide, wide_too, sizeof wide), 0, "unsigned long -");
    expect(memcmp(bytes, bytes_too, sizeof bytes), 0, "unsigned char +");
    expect(memcmp(set, set_too, sizeof set), 0, "unsigned |");
    expect(memcmp(clear, clear_too, sizeof clear), 0, "int &");
    expect(memcmp(flip, flip_too, sizeof flip), 0, "long ^");
}

/* Sections: from the middle, with a length and a place that only the device knows, larger than a stack. */
static void sections(int n, int from)
{
    int *made = calloc(LARGE + 64, sizeof *made), *made_too = calloc(LARGE + 64, sizeof *made_too);
    long part[40] = {0}, part_too[40] = {0};
#pragma omp target teams distribute parallel for map(tofrom : made[0 : LARGE + 64], part) reduction(+ : part[from : 8]) \
    reduction(+ : made[10 : LARGE])
    for (int i = 0; i < n; i++) {
        made[10 + i % LARGE] += i;
        part[from + i % 8] += i;
    }
    for (int i = 0; i < n; i++) {
        made_too[10 + i % LARGE] += i;
        part_too[from + i % 8] += i;
    }
    expect(memcmp(made, made_too, (LARGE + 64) * sizeof *made), 0, "a large section");
    expect(memcmp(part, part_too, sizeof part), 0, "a section from a place that varies");
    free(made);
    free(made_too);
}

static void set_to(int *a, int k) { a[k] += 3; }
#pragma omp declare target to(set_to)

/* What reads its part, hands it on, or rounds: each thread needs one of its own. */
static void own_parts(int n)
{
    int seen[4] = {0}, handed[3] = {0}, rounded[2] = {0}, products[2] = {1, 1}, both[2] = {0}, low[3] = {9, 9, 9};
    double sums[20] = {0}, least[5] = {1e9, 1e9, 1e9, 1e9, 1e9};
    float single[33] = {0};
#pragma omp target teams distribute parallel for reduction(+ : seen, handed, rounded, sums, single)                    \
    reduction(* : products) reduction(&& : both) reduction(min : low, least)                                           \
    map(tofrom : seen, handed, rounded, sums, single, products, both, low, least)
    for (int i = 0; i < n; i++) {
        seen[i % 4] += 1;
        if (seen[0] < 0)
            seen[1] = 1000;
        set_to(handed, i % 3);
        rounded[i % 2] += 1.0;
        products[i % 2] *= i < 20 ? 3 : 1;
        both[0] = both[0] && i;
        low[i % 3] = i % 7 < low[i % 3] ? i % 7 : low[i % 3];
        for (int k = 0; k < 20; k++)
            sums[k] += k;
        least[i % 5] = -i < least[i % 5] ? -i : least[i % 5];
        single[i % 33] += 0.5f;
    }
    for (int k = 0; k < 4; k++)
        expect(seen[k], (n + 3 - k) / 4, "a part that is read");
    for (int k = 0; k < 3; k++)
        expect(handed[k], 3 * ((n + 2 - k) / 3), "a part that is handed on");
    for (int k = 0; k < 2; k++) {
        int product = 1;
        for (int i = k; i < n && i < 20; i += 2)
            product *= 3;
        expect(rounded[k], (n + 1 - k) / 2, "a part to which a double is added");
        expect(products[k], product, "a product");
        expect(both[k], 0, "&&");
    }
    for (int k = 0; k < 3; k++) {
        int least_of = 9;
        for (int i = k; i < n; i += 3)
            least_of = i % 7 < least_of ? i % 7 : least_of;
        expect(low[k], least_of, "min");
    }
    for (int k = 0; k < 20; k++)
        expect(sums[k], (double)k * n, "sums of doubles");
    for (int k = 0; k < 5; k++)
        expect(least[k], n > k ? -(n - 1 - (n - 1 - k) % 5) : 1e9, "min of doubles");
    for (int k = 0; k < 33; k++)
        expect(single[k], 0.5f * ((n + 32 - k) / 33), "sums of floats");
}

/* In a parallel region of sequential code; a region that is run several times; nested loops and a schedule. */
static void regions(int n)
{
    int total[8] = {0}, counts[3][8] = {{0}};
#pragma omp target map(tofrom : total, counts)
    {
        int bins[8] = {1, 1, 1, 1, 1, 1, 1, 1};
        for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel for reduction(+ : bins) schedule(dynamic, 3)
            for (int i = 0; i < n; i++)
                bins[(i + turn) % 8]++;
            for (int k = 0; k < 8; k++)
                counts[turn][k] = bins[k];
        }
#pragma omp parallel for collapse(2) reduction(+ : total) num_threads(40)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 8; k++)
                total[k] += bins[k];
    }
    int want[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < n; i++)
            want[(i + turn) % 8]++;
        for (int k = 0; k < 8; k++)
            expect(counts[turn][k], want[k], "a region's bins");
    }
    for (int k = 0; k < 8; k++)
        expect(total[k], n * want[k], "the bins once for each iteration");
}

int main(void)
{
    for (int k = 0; k < SIZES; k++) {
        updates(sizes[k]);
        sections(sizes[k], k);
        own_parts(sizes[k]);
        regions(sizes[k]);
    }
    return failures != 0;
}
