/* nowait and depend: between device constructs, with the host's tasks, in serial code and in teams.  Each result needs the
   order that the dependences ask for: x * 3 + 1 and x * 2 do not commute.  (gcc 12's own execution never ends.) */
#include <omp.h>
#include <stdlib.h>

#include "../expect.h"

struct large {
    int values[300];
};

static void chains(int n)
{
    int x = 1, y = 1, host = 0;
    int *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma omp target nowait depend(out : x) map(tofrom : x)
    x = x * 3 + 1;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
    x = x * 2;
#pragma omp task depend(in : x) depend(out : host) shared(x, host)
    host = x;
#pragma omp target nowait depend(in : host) depend(out : y) map(to : host) map(tofrom : y)
    y += host;
#pragma omp taskwait depend(in : y)
    expect(host, 8, "a host task after device constructs");
    expect(y, 9, "a device construct after a host task");

#pragma omp target enter data map(to : a[:n]) nowait depend(out : a[:n])
#pragma omp target teams distribute parallel for nowait depend(inout : a[0 : n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
#pragma omp target update from(a[:n]) nowait depend(inout : a[0])
#pragma omp target nowait depend(inout : a[0])
    a[0] = a[n - 1] = 100;
#pragma omp target exit data map(from : a[:n]) nowait depend(inout : *a)
#pragma omp taskwait
    expect(a[0], 100, "the first element");
    expect(a[1], 2, "an element");
    expect(a[n - 1], 100, "the last element");
    free(a);
}

static void values(void)
{
    struct large big;
    int small = 5, result = 0, gate = 0;
    big.values[299] = 7;
#pragma omp target nowait depend(out : gate) map(tofrom : gate)
    for (int i = 0; i < 100000; i++)
        gate += i & 1;
#pragma omp target nowait depend(inout : gate) firstprivate(small, big) map(tofrom : result)
    result = small + big.values[299];
    small = big.values[299] = -1;
#pragma omp taskwait
    expect(result, 12, "values are the construct's");
    expect(gate, 50000, "gate");
}

static void objects(void)
{
    int x = 2, z = 3;
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
#pragma omp target nowait depend(depobj : object) map(tofrom : x)
    x = x * 3 + 1;
#pragma omp target nowait depend(mutexinoutset : z) map(tofrom : z)
    z = z * 2;
#pragma omp target depend(depobj : object) map(tofrom : x)
    x = x * 2;
    expect(x, 14, "a depend object");
#pragma omp depobj(object) destroy
#pragma omp taskgroup
    {
#pragma omp target nowait depend(mutexinoutset : z) map(tofrom : z)
        z = z * 2;
    }
    expect(z, 12, "taskgroup");
#pragma omp target nowait map(tofrom : z)
    z++;
#pragma omp barrier
    expect(z, 13, "barrier");
#pragma omp target nowait map(tofrom : z)
    z++;
#pragma omp single
    x = 0;
    expect(z, 14, "single's barrier");
#pragma omp target nowait map(tofrom : z) if (z < 0) // in place
    z++;
    expect(z, 15, "if(0)");
}

static void in_a_team(void)
{
    int x = 1, seen = 0, after = 0, many[8] = {0};
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        {
#pragma omp task depend(out : x) shared(x)
            x = x * 3 + 1;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
            x = x * 2;
#pragma omp task depend(in : x) shared(x, seen)
            seen = x;
#pragma omp taskwait depend(in : x)
            after = x;
            for (int i = 0; i < 8; i++) {
#pragma omp target nowait map(tofrom : many[i : 1])
                many[i] += i;
            }
#pragma omp taskwait
            for (int i = 0; i < 8; i++)
                expect(many[i], i, "many");
#pragma omp target nowait depend(inout : x) map(tofrom : x)
            x = x + 100;
        }
#pragma omp single
        after += x;
    }
    expect(seen, 8, "a task of the team");
    expect(after, 8 + 108, "the barrier of a worksharing construct");
}

int main(void)
{
    for (int round = 0; round < 3; round++) {
        chains(33);
        values();
        objects();
        in_a_team();
    }
    return failures != 0;
}
