/* declare variant and dispatch: each call means the function for its place; on the host and on the device. */
#include <omp.h>

#include "../expect.h"

#pragma omp declare target
static int on_device(int x) { return x + 100; }
static int in_parallel(int x) { return x + 200; }
static int in_both(int x) { return x + 300; }
static int never(int x) { return x + 400; }
#pragma omp declare variant(on_device) match(construct = {target})
#pragma omp declare variant(in_parallel) match(construct = {parallel})
#pragma omp declare variant(in_both) match(construct = {target, parallel})
#pragma omp declare variant(never) match(device = {arch(amdgcn)}, construct = {target})
#pragma omp declare variant(never) match(user = {condition(2 < 1)})
static int where(int x) { return x; }
static int calls(int x) { return where(x); }

static int here(void) { return 1; }
#pragma omp begin declare variant match(device = {kind(nohost)})
static int here(void) { return 2; }
static int there(void) { return here() + 10; }
#pragma omp end declare variant
#pragma omp begin declare variant match(device = {kind(fpga)})
static int here(void) { no such function; }
#pragma omp end declare variant
#pragma omp end declare target

static int mode; // asked at each call
#pragma omp declare target
static int first(int x) // a comment behind a header
{
    return x + 1;
}
static int second(int x) { return x + 2; }
#pragma omp declare variant(first) match(user = {condition(score(3) : mode == 1)})
#pragma omp declare variant(second) match(construct = {target})
static int by_mode(int x) { return x; }
#pragma omp end declare target

static int last_device;
static long dispatched(int *a, int n, void *pointer);
#pragma omp declare variant(dispatched) match(construct = {dispatch}) adjust_args(need_device_ptr : a)
static long plain(int *a, int n, void *pointer)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return pointer != 0 ? -1 : sum;
}
static long dispatched(int *a, int n, void *pointer)
{
    long sum = 0;
    last_device = omp_get_default_device();
#pragma omp target parallel for reduction(+ : sum) map(tofrom : sum) is_device_ptr(a)
    for (int i = 0; i < n; i++)
        sum += 2 * a[i];
    return pointer != 0 ? -1 : sum;
}

int main(void)
{
    int a[64], in_target = 0, in_target_parallel = 0, in_function = 0, which = 0;
    expect(where(1), 1, "on the host");
#pragma omp parallel num_threads(2)
    {
#pragma omp masked
        expect(where(1), 201, "in a parallel region");
    }
#pragma omp target map(from : in_target, in_target_parallel, in_function, which)
    {
        in_target = where(1);
        in_function = calls(1);
        which = here();
#pragma omp parallel num_threads(2)
        {
#pragma omp masked
            in_target_parallel = where(1);
        }
    }
    expect(in_target, 101, "in a target region");
    expect(in_target_parallel, 301, "in both");
    expect(in_function, 101, "in a device function");
    expect(which, 2, "begin declare variant on the device");
    expect(here(), 1, "begin declare variant on the host");
    int (*pointer)(int) = where;
    expect(pointer(1), 1, "through a pointer");

    expect(by_mode(0), 0, "a condition that does not hold");
    mode = 1;
    expect(by_mode(0), 1, "a condition that holds");
    int both = 0;
#pragma omp target map(from : both)
    both = first(0) * 10 + second(0);
    expect(both, 12, "variants by their names");

    long sum = 0, want = 0;
    for (int i = 0; i < 64; i++)
        want += a[i] = i;
    expect(plain(a, 64, 0), want, "a call");
#pragma omp target data map(to : a)
    {
        int condition = 0;
#pragma omp dispatch
        sum = plain(a, 64, 0);
        expect(sum, 2 * want, "dispatch");
#pragma omp dispatch novariants(condition == 0)
        sum = plain(a, 64, 0);
        expect(sum, want, "novariants");
#pragma omp dispatch nocontext(condition) device(0) depend(inout : sum) nowait
        sum = plain(a,
                    64, 0); // on two lines
        expect(sum, 2 * want, "nocontext and device");
        expect(last_device, 0, "the device of dispatch");
        int *mine = omp_get_mapped_ptr(a, omp_get_default_device());
#pragma omp dispatch is_device_ptr(mine)
        sum = plain(mine, 64, 0);
        expect(sum, 2 * want, "a device pointer");
    }
    return failures != 0;
}
