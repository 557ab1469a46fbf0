/* Static variables of which there is one a device: of functions that several regions call, and listed by a directive. */
#include "expect.h"

#pragma omp declare target
static int next(void)
{
    static int calls = 5, more[2] = {1, 2}; /* both move */
    more[0] += more[1];
    return ++calls + more[0];
}
struct point {
    int x, y;
};
static int twice(int by)
{
    static struct point p = {3, 4}, *last = 0;
    if (by > 0) {
        static int calls;
        calls += by;
        p.x += calls;
    }
    last = &p;
    return last->x + next();
}
static int next_calls = 1000; /* the name that `calls` might get */
#pragma omp end declare target

/* Some of a declaration's variables, several declarations' by one directive, and two of a name. */
static void listed(void)
{
    static int a = 1, plain = 2;
    static int b = 3, c[4] = {1, 2, 3, 4};
#pragma omp declare target to(a) to(b)
#pragma omp declare target(c)
    int y = 0, z = 0;
    {
        static int a = 10;
#pragma omp declare target link(a)
#pragma omp target map(to : a) map(from : y)
        y = a + 1;
    }
    expect(y, 11, "a variable in a block under link");
#pragma omp target
    a += b + c[3], b += 1, plain += 7;
#pragma omp target map(from : y, z)
    y = a * 1000 + b * 10 + c[0], z = plain;
    expect(y, 8041, "variables under declare target in a function");
    expect(z, 2, "the one beside them");
#pragma omp target update from(a, b)
    expect(a * 10 + b, 84, "and their values");
}

int main(void)
{
    listed();
    int r[6] = {0};
#pragma omp target map(tofrom : r)
    r[0] = next();
#pragma omp target map(tofrom : r)
    {
        static int own = 1;
        own++;
        r[1] = next() + own;
        r[2] = twice(2);
    }
#pragma omp target map(tofrom : r)
    {
        r[3] = twice(0);
        r[4] = twice(1) + next_calls;
    }
    expect(r[0], 9, "the first call");
    expect(r[1], 14, "the second call");
    expect(r[2], 20, "a function that calls it");
    expect(r[3], 23, "another region");
    expect(r[4], 1029, "a variable in a block");
    return failures != 0;
}
