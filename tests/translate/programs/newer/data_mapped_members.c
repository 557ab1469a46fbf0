/* Members of one structure that have mappers: they share one allocation, and what each leads to is attached in it. */
#include <omp.h>
#include <stdlib.h>

#include "../expect.h"

typedef struct {
    int n;
    int *w;
    int untouched;
} vec;
#pragma omp declare mapper(vec v) map(v.n) map(tofrom : v.w[0 : v.n])
#pragma omp declare mapper(deep : vec v) map(v, v.w[0 : v.n])
struct pair {
    vec a, b;
};
struct net {
    int k;
    vec in, out[2];
    struct pair nested;
    int *list;
    vec tail[];
};

static vec make(int n)
{
    vec v = {n, malloc(n * sizeof(int)), 7};
    for (int i = 0; i < n; i++)
        v.w[i] = 10 * n + i;
    return v;
}

static void in_regions(void)
{
    struct pair p = {make(2), make(3)};
#pragma omp target map(tofrom : p.a, p.b)
    {
        p.a.w[1] = p.b.w[2];
        p.b.w[0] = p.a.n;
    }
    expect(p.a.w[1], 32, "two members");
    expect(p.b.w[0], 2, "the second's comes back");
#pragma omp target map(to : p.b) map(tofrom : p.a)
    p.a.w[0] = p.b.w[2] + p.b.n;
    expect(p.a.w[0], 35, "in two clauses, the second first");
#pragma omp target map(to : p.a, p.b)
    p.a.w[0] = p.b.w[0] = 1;
    expect(p.a.w[0] + p.b.w[0], 37, "nothing comes back");
#pragma omp target map(mapper(deep), tofrom : p.a) map(p.b)
    {
        p.a.untouched = p.b.w[1];
        p.b.untouched = 1;
    }
    expect(p.a.untouched, 31, "a named mapper");
    expect(p.b.untouched, 7, "beside the default one, which does not list it");
    struct pair *q = &p;
#pragma omp target map(q->a, q->b)
    q->a.w[1] = q->b.w[2] + 1;
    expect(p.a.w[1], 33, "through a pointer");
}

static void beside_others(void)
{
    int list[2] = {5, 6};
    struct net s = {1, make(2), {make(3), make(4)}, {make(5), make(6)}, list};
#pragma omp target map(s.k, s.in)
    s.k += s.in.w[1];
    expect(s.k, 22, "beside a member without");
#pragma omp target map(s.out, s.in)
    s.in.w[0] = s.out[1].w[3] + s.out[0].n;
    expect(s.in.w[0], 46, "beside an array");
#pragma omp target map(s.out[1:1], s.nested)
    s.nested.b.w[0] = s.out[1].w[0] + s.nested.a.w[4];
    expect(s.nested.b.w[0], 94, "members of a member");
#pragma omp target map(s.nested.a, s.in, s.nested.b)
    s.nested.a.w[0] = s.in.w[1] + s.nested.b.w[1];
    expect(s.nested.a.w[0], 82, "of two structures");
#pragma omp target map(s.k) map(iterator(i = 0 : 2), tofrom : s.out[i])
    s.out[1].w[1] = s.k + s.out[0].w[1];
    expect(s.out[1].w[1], 53, "before elements by an iterator");
#pragma omp target map(to : s.k) map(s.in) map(alloc : s)
    s.in.w[0] = s.k;
    expect(s.in.w[0], 22, "before the structure itself");
#pragma omp target map(s.in) map(s.list[0 : 2])
    s.list[1] = s.in.w[1];
    expect(list[1], 21, "beside a section");
    struct net *t = malloc(sizeof *t + 2 * sizeof(vec));
    *t = s;
    t->tail[0] = make(7);
    t->tail[1] = make(8);
#pragma omp target map(t->in, t->tail[0 : 2])
    t->tail[1].w[0] = t->tail[0].w[1] + t->in.n;
    expect(t->tail[1].w[0], 73, "behind the structure");
}

static void data(void)
{
    struct pair p = {make(2), make(3)};
#pragma omp target data map(to : p.a, p.b)
    {
        p.b.w[1] = 1000;
#pragma omp target update to(p.b)
#pragma omp target map(p.a, p.b)
        p.a.w[0] = p.b.w[1] + 1;
        expect(p.a.w[0], 20, "nothing came back yet");
#pragma omp target update from(p.a, p.b)
    }
    expect(p.a.w[0], 1001, "target data");
#pragma omp target enter data map(to : p.a, p.b)
#pragma omp target map(p.a, p.b)
    p.b.w[2] = p.a.w[1] + 1;
    expect(p.b.w[2], 32, "still on the device");
#pragma omp target exit data map(from : p.a, p.b)
    expect(p.b.w[2], 22, "enter data");
    expect(omp_target_is_present(p.b.w, omp_get_default_device()), 0, "all gone");
}

int main(void)
{
    in_regions();
    beside_others();
    data();
    return failures != 0;
}
