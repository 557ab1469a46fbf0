/* Static variables of functions that several regions call: one a device, whichever region calls. */
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

int main(void)
{
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
