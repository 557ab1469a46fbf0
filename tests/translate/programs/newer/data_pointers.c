/* Pointer attachment in every order, pointers to pointers, arrays of structures, constants, defaultmap, link. */
#include <omp.h>
#include <stdlib.h>

#include "../expect.h"

typedef struct {
    int a, b, *p, n;
} record;
static const int table[4] = {1, 2, 3, 4};
static int linked[8];
#pragma omp declare target link(linked)

static int *counted(int n)
{
    int *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = i;
    return p;
}

int main(void)
{
    record s = {1, 2, counted(10), 10};
#pragma omp target map(tofrom : s, s.p[ : s.n])
    {
        s.p[0] = 50;
        s.a = 7;
    }
#pragma omp target map(tofrom : s.p[ : s.n], s)
    {
        s.p[1] = 51;
        s.b = 8;
    }
    expect(s.p[0] + s.p[1] + s.a + s.b, 116, "a structure and what it points to");
    int *q = counted(10);
    unsigned long host = (unsigned long)q;
#pragma omp target map(tofrom : q[ : 10], q)
    q[3] = 33;
#pragma omp target map(tofrom : q) map(tofrom : q[ : 10])
    q[4] = 44;
#pragma omp target data map(alloc : q)
    {
#pragma omp target map(tofrom : q[ : 10])
        q[5] = 55;
    }
    expect(q[3] + q[4] + q[5], 132, "a pointer that is mapped itself");
    int same = 0;
#pragma omp target map(to : q) map(attach(never), to : q[ : 10]) map(from : same)
    same = (unsigned long)q == host;
    expect(same, 1, "attach(never)");
    expect((unsigned long)q == host, 1, "the host's pointer");

    record many[3];
    for (int i = 0; i < 3; i++)
        many[i] = (record){i, i, counted(4), 4};
#pragma omp target enter data map(to : many)
    for (int i = 0; i < 3; i++) {
#pragma omp target enter data map(to : many[i].p[ : 4])
    }
#pragma omp target
    for (int i = 0; i < 3; i++)
        many[i].p[3] += 10 * i;
    for (int i = 0; i < 3; i++) {
#pragma omp target exit data map(from : many[i].p[ : 4])
    }
#pragma omp target exit data map(delete, release : many)
    expect(many[0].p[3] + many[1].p[3] + many[2].p[3], 39, "an array of structures");
    expect(omp_target_is_present(many, omp_get_default_device()), 0, "deleted");

    int **rows = malloc(3 * sizeof *rows);
    for (int i = 0; i < 3; i++)
        rows[i] = counted(2);
#pragma omp target map(to : rows[0 : 3]) map(tofrom : rows[0][0 : 2], rows[1][0 : 2], rows[2][0 : 2])
    for (int i = 0; i < 3; i++)
        rows[i][1] *= i + 2;
    expect(rows[0][1] + rows[1][1] + rows[2][1], 9, "pointers to pointers");

    int sum = 0, x = 1, y[4] = {0};
    const int local[2] = {5, 6};
#pragma omp target map(tofrom : sum)
    sum += table[2] + local[1];
    expect(sum, 9, "constants");
    for (int i = 0; i < 8; i++)
        linked[i] = i;
#pragma omp target map(tofrom : linked)
    for (int i = 0; i < 8; i++)
        linked[i] *= 2;
    expect(linked[7], 14, "link");
#pragma omp target defaultmap(tofrom : scalar) defaultmap(firstprivate : aggregate)
    {
        x = 5;
        y[0] = 9;
    }
    expect(x, 5, "defaultmap of scalars");
    expect(y[0], 0, "defaultmap of aggregates");
#pragma omp target private(x) firstprivate(y) map(from : sum)
    {
        x = 3;
        y[1] += x;
        sum = y[1];
    }
    expect(x * 10 + sum, 53, "private and firstprivate");
    int *w = counted(16), *other = counted(16), n = 4;
#pragma omp target enter data map(to : w)
#pragma omp target enter data map(attach(always), to : w[0 : 16])
#pragma omp target map(from : sum) map(alloc : w)
    sum = w[2];
    expect(sum, 2, "a pointer that was there before");
#pragma omp target data map(to : s) map(to : s.p[0 : 10])
    {
        int *before = s.p;
        s.p = other;
#pragma omp target enter data map(to : other[0 : 16])
#pragma omp target map(attach(always) : s.p[0 : 10]) map(from : sum)
        sum = s.p[3];
        s.p = before;
    }
    expect(sum, 3, "attach(always)");
    for (int i = 0; i < 16; i++)
        w[i] += 100;
#pragma omp target update to((([n][n])w)[1 : 2][1 : 2])
#pragma omp target map(from : sum) map(alloc : w)
    {
        sum = 0;
        for (int i = 0; i < 16; i++)
            sum += w[i];
    }
    expect(sum, 520, "a shape in target update");
    int late = 0;
#pragma omp target data map(tofrom : late)
    {
#pragma omp target map(tofrom : late) nowait
        for (int i = 0; i < 100000; i++)
            late++;
    }
    expect(late, 100000, "the end of target data waits for what was deferred in it");
    int seen = 0;
#pragma omp target map(from : seen)
    {
        int kept = 1, all[3] = {1, 2, 3};
#pragma omp task default(firstprivate)
        {
            kept += 1;
            all[1] = kept + 5;
        }
#pragma omp taskwait
        seen = kept * 10 + all[1];
    }
    expect(seen, 12, "default(firstprivate) on a task");
    return failures != 0;
}
