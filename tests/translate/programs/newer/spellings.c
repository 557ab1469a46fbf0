/* OpenMP 5.1 to 6.0 in words that gcc 12 does not know. */
#include <omp.h>
#include <stdint.h>

#include "../expect.h"

#pragma omp begin assumes no_openmp_routines
#pragma omp begin declare_target
static int counter = 3;
static int twice(int x) { return 2 * x; }
#pragma omp end declare_target
#pragma omp end assumes

static void scopes(void)
{
    int n = 3, total = 0, array[4] = {1, 2, 3, 4};
#pragma omp parallel num_threads(3) safesync(2)
    {
#pragma omp scope firstprivate(n, array) reduction(+ : total) allocate(omp_default_mem_alloc : n)
        {
            n += omp_get_thread_num();
            array[0] += n;
            total += array[0] - 1;
        }
    }
    expect(total, 12, "scope firstprivate");
    expect(n + array[0], 4, "the original of a scope's copy");
    int sum = 0;
#pragma omp target map(tofrom : sum)
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp scope firstprivate(n)
        {
            n++;
            sum += n;
        }
    }
    expect(sum, 12, "scope on a device");
}

static void dependences(void)
{
    int a = 0, b[2] = {0, 0}, c = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : a) shared(a)
        a = 5;
#pragma omp task depend(inoutset : a) shared(a, b)
        b[0] = a + 1;
#pragma omp task depend(inoutset : a) shared(a, b)
        b[1] = a + 2;
#pragma omp task depend(inout : omp_all_memory) shared(a, b, c)
        c = b[0] + b[1] + a;
#pragma omp task depend(in : c) shared(a, c)
        a = c;
#pragma omp taskwait depend(in : a) nowait
#pragma omp task depend(out : omp_all_memory)
        a++;
    }
    expect(a, 19, "dependences");
    int x = 1;
#pragma omp target_data map(tofrom : x)
    {
#pragma omp target map(tofrom : x) nowait
        for (int i = 0; i < 100000; i++)
            x = (x + 1) % 9;
    }
    expect(x, 100001 % 9, "a target_data region is a taskgroup");
    x = 1;
#pragma omp target depend(out : omp_all_memory) map(tofrom : x) nowait
    x += twice(counter);
#pragma omp taskwait
    expect(x, 7, "a target task that depends on all");
}

static void modifiers(void)
{
    int value = 7, last = 0, others[4] = {0}, scratch[3];
#pragma omp target teams distribute firstprivate(target : value) num_teams(4) map(tofrom : last)
    for (int i = 0; i < 100; i++) {
        int mine;
#pragma omp atomic capture
        mine = ++value;
#pragma omp atomic write
        last = mine;
    }
    expect(value, 7, "firstprivate of the target construct");
    expect(last >= 8 && last <= 107, 1, "one copy for all teams");
#pragma omp target teams distribute parallel for private(target : scratch) map(from : others) num_threads(parallel : 2)
    for (int i = 0; i < 3; i++) {
        scratch[i] = i;
        others[i] = scratch[i] + value;
    }
    expect(others[2], 9, "private of the target construct");
    long sum = 0;
#pragma omp target parallel for linear(last : step(2)) reduction(+ : sum) map(tofrom : sum) firstprivate(parallel : value)
    for (int i = 0; i < 3; i++)
        sum += value;
    expect(sum, 21, "a modifier of parallel");
}

static void inductions(void)
{
    double power[10];
    long sums[10], step = 4, by = 5, up = 1;
    double x = 1.0;
#pragma omp target parallel for induction(step(2.0), * : x) induction(step(step), + : by) map(from : power, sums)
    for (int i = 20; i > 0; i -= 2) {
        power[10 - i / 2] = x;
        sums[10 - i / 2] = by;
        x *= 2.0;
        by += step;
    }
    for (int i = 0; i < 10; i++) {
        expect((long)power[i], 1L << i, "a geometric induction");
        expect(sums[i], 5 + 4 * i, "an arithmetic induction");
    }
    expect((long)x, 1024, "its last value");
    expect(by, 45, "its last sum");
#pragma omp parallel for induction(step(3), + : up) num_threads(3)
    for (int i = 0; i < 10; i++)
        sums[i] = up;
    expect(sums[9] + up, 28 + 31, "on the host");
}

static void others(void)
{
    int aligned[5] = {0}, done = 0;
    omp_interop_t object = omp_interop_none;
#pragma omp allocate(aligned) align(128) allocator(omp_default_mem_alloc)
    expect((long)((uintptr_t)aligned % 128), 0, "allocate with align");
#pragma omp interop init(targetsync : object) device(0) depend(inout : done)
#pragma omp interop use(object)
    expect(omp_get_num_interop_properties(object) > 0, 0, "an interop object of nothing");
#pragma omp interop destroy(object)
    expect(object == omp_interop_none, 1, "a destroyed object");
#pragma omp assume holds(done == 0)
    {
        done = 1;
    }
#pragma omp taskgraph
    {
#pragma omp task shared(done) replayable(1)
        done++;
#pragma omp taskwait
    }
    expect(done, 2, "a task graph");
    int order[6] = {0};
#pragma omp parallel for ordered(1) num_threads(3)
    for (int i = 1; i < 6; i++) {
#pragma omp ordered doacross(sink : i - 1)
        order[i] = order[i - 1] + i;
#pragma omp ordered doacross(source : omp_cur_iteration)
    }
    expect(order[5], 15, "doacross");
}

static void combined(void)
{
    int a[6] = {0}, n = 3, m = 0;
#pragma omp parallel single num_threads(2) firstprivate(n)
    {
        n++;
        m = n;
    }
#pragma omp target parallel single map(tofrom : a) num_threads(3)
    a[0] += 5;
#pragma omp target parallel masked map(tofrom : a) num_threads(3)
    a[1] += omp_get_num_threads();
#pragma omp target parallel sections map(tofrom : a)
    {
#pragma omp section
        a[2] = 1;
#pragma omp section
        a[3] = 2;
    }
#pragma omp target taskloop map(tofrom : a) shared(a) grainsize(1)
    for (int i = 4; i < 6; i++)
        a[i] = i;
    expect(m, 4, "parallel single");
    expect(a[0] * 10000 + (a[1] >= 1 && a[1] <= 3) * 1000 + a[2] * 100 + a[3] * 10 + a[4] + a[5], 51129, "combined");
}

static void defaults(void)
{
    int sum = 1, hidden = 1;
#pragma omp task shared(sum) default(private)
    {
#pragma omp target map(tofrom : sum, hidden)
        {
            hidden = 2;
            sum += hidden;
        }
    }
#pragma omp taskwait
#pragma omp parallel default(none) shared(sum) num_threads(2)
    {
#pragma omp masked
#pragma omp target map(tofrom : sum)
        sum *= 3;
    }
    expect(sum, 9, "regions under default(private) and default(none)");
    expect(hidden, 1, "the original of a private variable");
}

int main(void)
{
    scopes();
    dependences();
    modifiers();
    inductions();
    others();
    defaults();
    combined();
    return failures != 0;
}
