/* Copies that nobody lists: tasks make them, `default(firstprivate)` and `default(private)`; sections; declare target. */
#include <omp.h>

#include "expect.h"

typedef struct {
    int a, b[3];
} record;
static int single = 1;
#pragma omp declare target
static int counter;
static int orphaned(int n)
{
    int k = n, v[2] = {n, n};
#pragma omp task
    {
        k++;
        v[0]++;
        n++;
    }
#pragma omp taskwait
#pragma omp task shared(k)
    {
        k += 10;
        v[0]++;
        n++;
    }
#pragma omp taskwait
    return k + v[0] + n;
}
static void add(void)
{
#pragma omp for reduction(+ : counter)
    for (int i = 0; i < 10; i++)
        counter += i;
}
static void change(int *p) { p[1] = 55; }
#pragma omp end declare target

static void mapped_variables(void)
{
    int x = 1, a[4] = {1, 2, 3, 4};
    record r = {1, {2, 3, 4}};
#pragma omp target map(tofrom : x, a, r)
    {
#pragma omp task
        {
            x += 1;
            a[1] = 9;
            r.b[1] = 8;
        }
#pragma omp task shared(x)
        {
            x += 1;
            change(a);
            change(r.b);
        }
#pragma omp taskwait
        a[2] = 7;
    }
    EXPECT(x * 100 + a[1] * 10 + a[2], 227);
    EXPECT(r.b[1], 3);
#pragma omp target map(tofrom : x, a)
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task
        {
            x += 1;
            a[1] = 9;
        }
#pragma omp taskwait
    }
    EXPECT(x * 10 + a[1], 39);
#pragma omp target map(tofrom : x, a)
#pragma omp parallel num_threads(2) firstprivate(x)
#pragma omp single
    {
#pragma omp task
        {
            x += 1;
            a[1] = x;
        }
#pragma omp taskwait
        a[0] = x;
    }
    EXPECT(x * 100 + a[1] * 10 + a[0], 343);
#pragma omp target map(tofrom : x, a)
    {
#pragma omp taskloop
        for (int i = 0; i < 10; i++)
            x += 1;
#pragma omp task default(shared)
        a[3] = 30;
#pragma omp task private(x)
        x = 5;
#pragma omp taskwait
    }
    EXPECT(x * 100 + a[3], 330);
#pragma omp target map(tofrom : x)
    {
#pragma omp taskloop lastprivate(x) firstprivate(a)
        for (int i = 0; i < 10; i++) {
            x = i;
            a[0] = 77;
        }
    }
    EXPECT(x * 10 + a[0], 93);
#pragma omp target map(tofrom : single) map(from : x)
    {
#pragma omp task firstprivate(single)
        single = 6;
#pragma omp task
        single = 7;
#pragma omp taskwait
        x = single;
    }
    EXPECT(single * 10 + x, 77);
}

static void locals(void)
{
    int seen = 0, sum[10] = {0}, x = 1;
#pragma omp target map(from : seen)
    {
        int k = 1, v[3] = {1, 2, 3}, w[3] = {1, 2, 3};
#pragma omp task
        {
            k = 5;
            v[1] = 6;
            change(w);
#pragma omp task
            k = 7;
#pragma omp taskwait
            v[2] = k;
        }
#pragma omp taskloop
        for (int i = 0; i < 10; i++)
            k += 1;
#pragma omp taskwait
        seen = k * 1000 + v[1] * 100 + v[2] * 10 + w[1];
    }
    EXPECT(seen, 1232);
#pragma omp target map(tofrom : sum)
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task
        {
            sum[i] = i;
            i = 100;
        }
    }
    for (int i = 0; i < 10; i++)
        EXPECT(sum[i], i);
#pragma omp target map(from : seen) map(tofrom : x)
    {
        int k = 3, z[2] = {1, 2};
#pragma omp task shared(seen)
        {
            k = 4;
            z[1] = 5;
#pragma omp parallel num_threads(4)
            {
#pragma omp atomic
                k += 1;
#pragma omp atomic
                z[1] += 1;
#pragma omp atomic
                x += 1;
            }
            seen = k * 10 + z[1] + x;
        }
#pragma omp taskwait
        seen = seen * 1000 + k * 100 + z[1] * 10;
#pragma omp parallel num_threads(2)
#pragma omp atomic
        seen += k;
    }
    EXPECT(seen, 94326);
    EXPECT(x, 1);
#pragma omp target map(from : seen)
    {
        seen = orphaned(5);
#pragma omp parallel num_threads(4)
        {
            int s = orphaned(omp_get_thread_num());
#pragma omp atomic
            seen += s;
        }
    }
    EXPECT(seen, 83);
}

static void defaults(void)
{
    int x = 1, a[4] = {0};
#pragma omp target map(tofrom : x, a)
#pragma omp parallel default(firstprivate) num_threads(3) shared(a)
    {
        x += 1;
        a[omp_get_thread_num()] = x;
    }
    EXPECT(x * 100 + a[0] * 10 + a[2], 122);
#pragma omp target parallel default(firstprivate) num_threads(3) shared(a) map(tofrom : x, a)
    {
        x += 1;
        a[omp_get_thread_num()] = x + 1;
    }
    EXPECT(x * 100 + a[0] * 10 + a[2], 133);
#pragma omp target map(tofrom : x, a)
#pragma omp parallel default(private) num_threads(3) shared(a)
    {
        x = 7;
        a[omp_get_thread_num()] = x;
    }
    EXPECT(x * 100 + a[0] * 10 + a[2], 177);
#pragma omp target map(tofrom : x, a)
#pragma omp teams default(firstprivate) num_teams(2) shared(a)
    {
        x += 1;
#pragma omp parallel num_threads(2)
        {
#pragma omp atomic
            x += omp_get_num_threads() == 2;
        }
        a[omp_get_team_num()] = x;
    }
    EXPECT(x * 10 + (a[0] == 4 || a[0] == 2), 11);
}

static void declared(void)
{
    int seen = 0;
#pragma omp target map(from : seen)
    {
        counter = 5;
#pragma omp task firstprivate(counter)
        counter = 6;
#pragma omp taskwait
#pragma omp parallel private(counter)
        counter = 7;
#pragma omp task
        counter++;
#pragma omp taskwait
        seen = counter;
    }
    EXPECT(seen, 6);
#pragma omp target map(from : seen)
    {
        counter = 0;
#pragma omp parallel for reduction(+ : counter)
        for (int i = 0; i < 5; i++)
            counter += i;
        seen = counter;
    }
    EXPECT(seen, 10);
#pragma omp target parallel for lastprivate(counter)
    for (int i = 0; i < 5; i++)
        counter = i;
#pragma omp target map(from : seen)
    seen = counter;
    EXPECT(seen, 4);
}

static void reduced(void)
{
    int seen = 0;
#pragma omp target map(from : seen)
    {
        counter = 0;
#pragma omp parallel num_threads(4)
        add();
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : counter)
        {
#pragma omp task in_reduction(+ : counter)
            counter += 1;
        }
        seen = counter;
    }
    EXPECT(seen, 46);
}

static void sections(void)
{
    int big[100];
    for (int i = 0; i < 100; i++)
        big[i] = i;
#pragma omp target map(tofrom : big[10 : 5])
#pragma omp parallel for reduction(+ : big[10 : 5]) num_threads(2)
    for (int i = 0; i < 10; i++)
        big[11] += i;
    EXPECT(big[11], 56);
    EXPECT(big[9] + big[16], 25);
#pragma omp target map(tofrom : big[1 : 5])
    {
#pragma omp task
        big[1] = 9;
#pragma omp taskwait
        big[2] = 8;
    }
    EXPECT(big[1] * 10 + big[2], 18);
}

#pragma omp declare target
static int in_function(void)
{
    int s = 0;
#pragma omp task firstprivate(counter) shared(s)
    {
        counter = 5;
#pragma omp parallel num_threads(4)
#pragma omp atomic
        counter += 1;
        s = counter;
    }
#pragma omp taskwait
    return s;
}
static void add_to(int *p)
{
#pragma omp parallel num_threads(4)
#pragma omp atomic
    *p += 1;
}
#pragma omp end declare target

/* Copies of mapped variables, which threads of parallel regions inside share. */
static void reached(void)
{
    int x = 1, y = 2, seen = 0, a[3] = {1, 2, 3}, big[100] = {0};
#pragma omp target map(tofrom : x, y, seen, a)
    {
#pragma omp task firstprivate(x, a) private(y) shared(seen)
        {
            x = 4;
            y = 1;
            a[1] = 7;
#pragma omp parallel num_threads(4)
            {
#pragma omp atomic
                x += 1;
#pragma omp atomic
                y += 1;
#pragma omp atomic
                a[1] += 1;
            }
            add_to(&x);
            seen = x * 1000 + y * 100 + a[1];
        }
#pragma omp taskwait
#pragma omp parallel num_threads(2)
#pragma omp atomic
        x += 1;
    }
    EXPECT(seen, 12511);
    EXPECT(x * 100 + y * 10 + a[1], 322);
#pragma omp target map(from : seen)
    {
        counter = 1;
        seen = in_function() * 10 + counter;
    }
    EXPECT(seen, 91);
#pragma omp target map(tofrom : x, a)
#pragma omp teams num_teams(2) firstprivate(x)
    {
#pragma omp parallel num_threads(3)
#pragma omp atomic
        x += 1;
        a[omp_get_team_num()] = x;
    }
    EXPECT(x * 100 + a[0] * 10 + (a[1] == 6 || a[1] == 2), 361);
#pragma omp target map(tofrom : x, y, a)
#pragma omp teams num_teams(1) firstprivate(y)
    {
        a[0] = 0;
#pragma omp distribute private(x)
        for (int i = 0; i < 3; i++) {
            x = i;
#pragma omp parallel num_threads(2)
#pragma omp atomic
            x += y;
            a[i] = x;
        }
    }
    EXPECT(x * 1000 + a[0] * 100 + a[1] * 10 + a[2], 3456);
    big[3] = 5;
#pragma omp target map(tofrom : big[1 : 5], seen)
    {
        seen = 0;
#pragma omp parallel num_threads(2) firstprivate(big)
        {
            big[3] += 1;
#pragma omp atomic
            seen += big[3];
        }
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task firstprivate(big)
        big[2] = 1;
    }
    EXPECT(seen * 10 + big[3] + big[2], 125);
}

int main(void)
{
    reached();
    mapped_variables();
    locals();
    defaults();
    declared();
    reduced();
    sections();
    return failures != 0;
}
