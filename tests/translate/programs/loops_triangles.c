/* Two collapsed loops, the inner one over what the outer counter says: every iteration is run once, whatever the shape. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { SIDE = 280, LOW = -80 };
static unsigned char seen[SIDE][SIDE], want[SIDE][SIDE];

static void check(const char *shape, int n)
{
    if (memcmp(seen, want, sizeof want) != 0) {
        printf("%s of %d\n", shape, n);
        failures++;
    }
    memset(seen, 0, sizeof seen);
    memset(want, 0, sizeof want);
}

#define SHAPE(shape, directive, outer, inner)                                                                          \
    do {                                                                                                               \
        for (outer)                                                                                                    \
            for (inner)                                                                                                \
                want[i - LOW][j - LOW]++;                                                                              \
        _Pragma(directive) for (outer) for (inner)                                                                     \
        {                                                                                                              \
            if (i == 5 && j == 7) {                                                                                    \
                seen[i - LOW][j - LOW]++;                                                                              \
                continue;                                                                                              \
            }                                                                                                          \
            seen[i - LOW][j - LOW]++;                                                                                  \
        }                                                                                                              \
        check(shape, n);                                                                                               \
    } while (0)
#define LEAGUE "omp target teams distribute parallel for collapse(2) map(tofrom : seen)"
#define FEW "omp target teams distribute parallel for collapse(2) num_teams(3) thread_limit(32) map(tofrom : seen)"
#define LOOP "omp target teams loop collapse(2) map(tofrom : seen)"
#define ONE "omp target parallel for collapse(2) map(tofrom : seen)"

static void triangles(int n)
{
    SHAPE("strictly upper", LEAGUE, int i = 0; i < n; i++, int j = i + 1; j < n; j++);
    SHAPE("upper", FEW, int i = 0; i < n; i++, int j = n - 1; j >= i; j--);
    SHAPE("lower", LOOP, int i = 0; i < n; i++, int j = 0; j <= i; j++);
    SHAPE("strictly lower, from below", FEW, int i = n - 1; i >= 0; i--, int j = 0; j != i; j++);
    SHAPE("one team", ONE, int i = 0; i < n; i++, int j = 0; j < i; j++);
}

static void others(int n, int slope)
{
    SHAPE("the other corner", LEAGUE, int i = 0; i < n; i++, int j = n; j > i; j -= 1);
    SHAPE("rows that begin late", LEAGUE, int i = -n / 3; i <= n; i++, int j = 2 * i - 5; j < n; j++);
    SHAPE("rows that end early", FEW, int i = 1; i < n; i += 2, int j = -3; j < n - 2 * i; j++);
    SHAPE("a band", LEAGUE, unsigned i = 4; i < n + 4u; i++, unsigned j = i - 4; j < i + 3; j++);
    SHAPE("steps", FEW, long i = n; i > -2; i -= 3, long j = i; j < n; j += 3);
    SHAPE("rounded lengths", LEAGUE, int i = 0; i < n; i += 2, int j = i; j < n; j += 2);
    SHAPE("rounded lengths, slower", FEW, int i = 0; i < n; i += 7, int j = 1; j < i; j += 7);
    SHAPE("a slope", LEAGUE, int i = 0; i < n; i++, int j = 0; j < i * slope - 3; j++);
}

static void deeper(int n)
{
    long sum = 0, right = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int k = 0; k < 5; k++)
                right += i * 10000 + j * 10 + k;
#pragma omp target teams distribute parallel for collapse(3) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int k = 0; k < 5; k++)
                sum += i * 10000 + j * 10 + k;
    expect(sum, right, "a triangle of rows");
    int last = -1;
    sum = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) lastprivate(last)
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            for (int k = 0; k < 5; k++)
                sum += i * 10000 + j * 10 + k;
            last = i * 1000 + j;
        }
    expect(sum, right, "a triangle");
    if (n > 0)
        expect(last, (n - 1) * 1001, "its last iteration");
}

int main(void)
{
    static const int sizes[] = {0, 1, 2, 3, 4, 9, 32, 63, 130};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        triangles(sizes[k]);
        others(sizes[k] < 100 ? sizes[k] : 90, k % 3);
        deeper(sizes[k]);
    }
    return failures != 0;
}
