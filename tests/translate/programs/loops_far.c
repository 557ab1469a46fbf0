/* Counters from one end of their type to the other: every iteration is run once, with the right counter. */
#include <limits.h>

#include "expect.h"

typedef unsigned long long sum;

/* What an iteration adds: whoever misses one, or runs one twice, has another sum. */
#define SEEN(i) (((sum)(long long)(i) ^ 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull + 1)

#define LEAGUE "omp target teams distribute parallel for reduction(+ : got)"
#define DEALT                                                                                                          \
    "omp target teams distribute parallel for dist_schedule(static, 3) schedule(static, 2) num_teams(3) reduction(+ : got)"
#define EACH(what, directive, header)                                                                                  \
    do {                                                                                                               \
        sum want = 0, got = 0;                                                                                         \
        for (header)                                                                                                   \
            want += SEEN(i);                                                                                           \
        _Pragma(directive) for (header)                                                                                \
            got += SEEN(i);                                                                                            \
        expect(got == want, 1, what);                                                                                  \
    } while (0)

/* Bounds that nobody knows beforehand. */
static void up_and_down(int low, int high, int step)
{
    EACH("up", LEAGUE, int i = low; i < high; i += step);
    EACH("up, dealt out", DEALT, int i = low; i < high; i += step);
    EACH("down", LEAGUE, int i = high; i > low; i -= step);
    EACH("from the next", LEAGUE, int i = low + 1; i < high; i += step);
    EACH("down to the last", DEALT, int i = high - 1; i >= low + 1; i -= step);
    if (high < INT_MAX - step)
        EACH("up to the last", LEAGUE, int i = low; i <= high; i += step);
    EACH("a long counter of ints", LEAGUE, long i = low; i < high; i += step);
}

static void one_by_one(int low, int high)
{
    EACH("one by one", LEAGUE, int i = low; i < high; i++);
    if (low <= high)
        EACH("until it is there, down", LEAGUE, int i = high; i != low; --i);
    unsigned first = (unsigned)low, last = (unsigned)high;
    EACH("unsigned down", LEAGUE, unsigned i = last; i > first; i--);
    EACH("an int counter below an unsigned bound", LEAGUE, int i = low; i < last; i++);
    short s = (short)low;
    EACH("a short counter", LEAGUE, short i = s; i < 1000; i += 7);
}

static void several(int low, int high, int step)
{
    sum want = 0, grid = 0, row = 0;
    int last = 0, at = 0, i, j;
    for (int x = low; x < high; x += step)
        for (int y = high; y > low + 1; y -= step)
            want += SEEN(x) * 3 + SEEN(y);
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : grid) map(tofrom : grid) lastprivate(i, j, last)
    for (i = low; i < high; i += step)
        for (j = high; j > low + 1; j -= step) {
            grid += SEEN(i) * 3 + SEEN(j);
            last = i;
        }
#pragma omp target parallel for collapse(2) schedule(dynamic, 2) reduction(+ : row) map(tofrom : row) lastprivate(at)
    for (int x = low; x < high; x += step)
        for (int y = high; y > low + 1; y -= step) {
            row += SEEN(x) * 3 + SEEN(y);
            at = y;
        }
    expect(grid == want, 1, "a grid");
    expect(row == want, 1, "rows");
    int x = low, y = high;
    while (x < high - step)
        x += step;
    while (y - step > low + 1)
        y -= step;
    expect(last, x, "the last outer counter");
    expect(at, y, "the last inner counter");
    expect(i, x + step, "the outer counter afterwards");
    expect(j, y - step, "the inner counter afterwards");
}

/* Where the ends are further apart than an `int` says, gcc counts wrongly: that is for devices that count by themselves. */
int main(int argc, char **argv)
{
    (void)argv;
    const int far = INT_MAX / 10;
    if (argc > 1) {
        up_and_down(INT_MIN + far, INT_MAX - far, far);
        up_and_down(-3 * far, 5 * far, 187654321);
        up_and_down(-9 * far, 9 * far, far / 7);
        several(INT_MIN + far, INT_MAX - far, far);
        several(-4 * far, 8 * far, far / 2);
        return failures != 0;
    }
    up_and_down(INT_MIN + far, -far, far / 7);
    up_and_down(far, INT_MAX - far, far / 7);
    up_and_down(5, 5, 1);
    up_and_down(7, -7, 3);
    up_and_down(INT_MIN + 2, INT_MIN + 700, 1);
    up_and_down(INT_MAX - 700, INT_MAX - 2, 2);
    one_by_one(INT_MIN, INT_MIN + 300);
    one_by_one(INT_MAX - 300, INT_MAX);
    one_by_one(-150, -1);
    one_by_one(3, 3);
    several(-2 * far, 7 * far, far / 2);
    return failures != 0;
}
