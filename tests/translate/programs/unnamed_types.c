/* Types without a tag, which C++ wants to say: of variables, members, functions; types that one block defines in another. */
#include "expect.h"

enum { RED, GREEN = 4, BLUE } color = BLUE, colors[3];
enum { UP = 1, DOWN } const direction = DOWN;
static enum { IDLE = 7, BUSY } state;
typedef enum { OFF, ON = 3 } power, *power_pointer;
typedef const enum { NORTH, SOUTH = 6 } *side_pointer;
static const struct { int x, y; } table[] = {{1, 2}, {3, 4}};
volatile struct { int count; enum { LOW, HIGH = 9 } items[4]; } bag;
static union { int i; float f; } number;
#pragma omp declare target(bag, direction, state, color, colors, table)

#pragma omp declare target
static int next(power p)
{
    enum { A = 5, B } x = A;
    return p == ON ? x : B + table[1].y;
}
static enum { NO, YES = 11 } answer(void) { return YES; }
#pragma omp end declare target

static void of_variables(void)
{
    enum { N = 10 } n = N;
    enum { FEW = 12, MANY } m = MANY, pair[2] = {FEW, MANY};
    typedef struct { int a; } mine;
    struct { int low; enum { FIRST, LAST = 21 } high; } local = {1, LAST}, *through = &local;
    power on[N], other = ON;
    power_pointer through_it = &other;
    side_pointer side = 0;
    mine own = {4};
    int x[N], sum[N];
#pragma omp target teams distribute parallel for map(from : x, sum) map(from : on) firstprivate(m)                    \
    map(through[0 : 1], through_it[0 : 1])
    for (int i = 0; i < n; i++) {
        enum { EVEN = 31, ODD } which = i & 1 ? ODD : EVEN;
        x[i] = i & 1 ? RED : direction == UP ? GREEN : BLUE;
        on[i] = i & 1 ? ON : OFF;
        sum[i] = m + pair[1] + which + answer() + own.a + sizeof number + (side == 0 ? SOUTH : NORTH) + *through_it;
        sum[i] += 1000 * (next(on[i]) + local.low + local.high + through->high);
    }
    for (int i = 0; i < N; i++) {
        expect(x[i], i & 1 ? RED : BLUE, "a constant");
        expect(on[i], i & 1 ? ON : OFF, "an element");
        expect(sum[i], 13 + 13 + (i & 1 ? 32 : 31) + 11 + 4 + 4 + 6 + 3 + 1000 * ((i & 1 ? 5 : 10) + 1 + 21 + 21), "a sum");
    }
#pragma omp target
    {
        color = GREEN;
        colors[1] = color;
        state = BUSY;
        bag.items[2] = HIGH;
        bag.count = bag.items[2] + state;
    }
#pragma omp target update from(color, colors, state, bag)
    expect(color + 10 * colors[1] + 100 * state + 1000 * bag.count, 4 + 40 + 800 + 17000, "declare target");
}

static void of_blocks(void)
{
    int r[4] = {0};
#pragma omp target map(r)
    {
        struct outer { const int u; enum kind { V0, V1 } v; struct inner { int a; } t; } in = {1, V1, {3}};
        static const struct nest { struct deep { int g; } z; } fixed[1] = {{{5}}};
        typedef struct { struct other { int a; } t; } named;
        named m = {{3}};
        struct other o = m.t;
        struct { int i, j; } designated = {.j = 2, .i = 3};
        enum { X = 5 } x = 0;
        x = X;
        struct inner t = in.t;
        struct deep z = fixed[0].z;
        for (struct { int i, j; } c = {0, 1}; c.i < 1; c.i++)
            r[3] += c.j;
        r[0] = in.u + V1 + in.v;
        r[1] = t.a + z.g;
        r[2] = designated.j + x + o.a;
    }
    expect(r[0], 3, "constants of a member's type");
    expect(r[1], 8, "structures of members");
    expect(r[2], 10, "designated members");
    expect(r[3], 1, "a counter");
}

static void of_atomics(void)
{
    enum { A = 1, A2, A3 } x = A, x2 = A2;
    enum { B = 2 } y = 0;
    enum { C = 7 } z = 0, last = 0;
    int i = 0, *q = &i;
    void *p = 0;
#pragma omp target map(y, x, z, last, x2, q, i)
    {
#pragma omp atomic read
        y = x;
#pragma omp atomic write
        x2 = y;
#pragma omp atomic capture
        { z = x; x = y + 1; }
#pragma omp atomic capture
        last = x++;
#pragma omp atomic capture
        { x += 1; y = x; }
#pragma omp atomic read
        q = p;
#pragma omp atomic compare capture
        { z = x; if (x == A) { x = y; } }
#pragma omp atomic
        x += i;
    }
    expect(x, 4, "updated");
    expect(y, 4, "captured after");
    expect(z, 4, "compared");
    expect(last, 2, "captured before");
    expect(x2, 1, "written");
    expect(q == 0, 1, "a pointer");
}

/* Declared anew, with what they are the type of: variables that a team shares. */
static void of_teams(void)
{
    int r[3] = {0}, x[300];
#pragma omp target map(r) map(from : x)
    {
        const struct two { int a, b; } both = {1, 2};
        struct { int a; } one = {5}, *at = &one;
        enum { P = 4, Q } e = Q;
        for (int k = 0; k < 3; k++) {
#pragma omp parallel for
            for (int i = 0; i < 300; i++)
                x[i] = both.a + one.a + e + k;
            at->a++;
            e = P;
        }
        r[0] = both.b;
        r[1] = one.a;
        r[2] = e;
    }
    expect(r[0] + 10 * r[1] + 100 * r[2], 2 + 80 + 400, "shared by a team");
    expect(x[7], 1 + 7 + 4 + 2, "read by a team");
}

/* Without negative values an enumeration is unsigned in C, and for all that C++ computes it is int. */
static void of_arithmetic(void)
{
    enum { SMALL, LARGE = 100 } x = SMALL, before = SMALL, divided = LARGE, rest = LARGE, by = LARGE, most = LARGE;
    enum { LOW = -1, HIGH = 5 } y = HIGH;
    int i = 2, j = -3;
#pragma omp target map(x, before, divided, rest, by, most, y) firstprivate(i, j)
    {
#pragma omp atomic
        x = x + i;
#pragma omp atomic capture
        { before = x; x = i * x; }
#pragma omp atomic
        y = 1 - y;
#pragma omp atomic
        divided /= j;
#pragma omp atomic
        by = j / by;
#pragma omp atomic compare
        if (most < j) { most = j; }
        rest %= j;
    }
    expect(x, 4, "atomic x = x + i");
    expect(before, 2, "atomic v = x; x = i * x");
    expect(y, -4, "atomic x = 1 - x");
    expect(divided, 0, "atomic x /= i");
    expect(by, 42949672, "atomic x = i / x");
    expect((int)most, -3, "atomic compare");
    expect(rest, 100, "x %= i");
}

int main(void)
{
    of_teams();
    of_arithmetic();
    of_variables();
    of_blocks();
    of_atomics();
    return failures != 0;
}
