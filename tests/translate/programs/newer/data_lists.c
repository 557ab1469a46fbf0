/* Mappers, iterators, strided and rectangular sections of `target update`, members of one structure. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "../expect.h"

typedef struct {
    int n;
    double *x;
    int untouched;
} vec;
#pragma omp declare mapper(vec v) map(to : v.n) map(tofrom : v.x[0 : v.n])
struct pair {
    vec a, b;
    int tag;
};
struct grid {
    int rows, columns;
    int **row;
};
// clang-format off
#pragma omp declare mapper(grid : struct grid g) map(to : g, g.row[0 : g.rows]) \
    map(iterator(i = 0 : g.rows), tofrom : g.row[i][0 : g.columns])
// clang-format on
#pragma omp declare mapper(only_tag : struct pair p) map(from : p.tag)
#pragma omp declare mapper(deep : vec v) map(v, v.x[0 : v.n])
struct holder {
    int id;
    vec x, *y, both[2];
};
#pragma omp declare mapper(struct holder h) map(h.id) map(mapper(deep), tofrom : h.x, h.y[0 : 1]) map(h.both)
#pragma omp declare mapper(other : struct pair p) map(mapper(only_tag), tofrom : p)
struct list {
    struct list *next;
    int value;
};
#pragma omp declare mapper(struct list l) map(tofrom : l) map(tofrom : l.next[0 : 1])

static vec make(int n)
{
    vec v = {n, malloc(n * sizeof(double)), 7};
    for (int i = 0; i < n; i++)
        v.x[i] = i;
    return v;
}
static double total(const vec *v)
{
    double sum = 0;
    for (int i = 0; i < v->n; i++)
        sum += v->x[i];
    return sum;
}

static void mappers(void)
{
    vec v = make(10);
#pragma omp target
    for (int i = 0; i < v.n; i++)
        v.x[i] += 1;
    expect(total(&v), 55, "implicit default mapper");

    vec many[3] = {make(3), make(4), make(5)};
    double sum = 0;
#pragma omp target teams distribute parallel for map(many) map(tofrom : sum) reduction(+ : sum)
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < many[k].n; i++) {
            many[k].x[i] *= 2;
            sum += many[k].x[i];
        }
    expect(sum, 38, "an array of mapped structures");
    expect(total(&many[2]), 20, "copied back");

    struct pair p = {make(4), make(6), 1};
#pragma omp target map(tofrom : p)
    {
        p.a.x[0] = 100;
        p.b.x[5] = 50;
        p.tag = p.a.n + p.b.n;
    }
    expect(total(&p.a), 106, "a member with a mapper");
    expect(total(&p.b), 60, "another");
    expect(p.tag, 10, "the rest of the structure");
    p.b.untouched = 3;
#pragma omp target map(mapper(only_tag), tofrom : p)
    {
        p.tag = 77;
        p.b.untouched = 4;
    }
    expect(p.tag, 77, "a named mapper");
    expect(p.b.untouched, 3, "what it does not list stays");
#pragma omp target map(mapper(other), tofrom : p)
    p.tag++;
    expect(p.tag, 78, "a mapper that is another one");

    vec pointed = make(3);
    struct holder h = {2, make(4), &pointed, {make(2), make(2)}};
    h.x.untouched = 5;
#pragma omp target map(tofrom : h)
    {
        h.x.x[3] *= h.id;
        h.x.untouched++;
        h.y->x[2] += h.y->untouched;
        h.both[1].x[1] = 8;
    }
    expect(h.x.x[3] + h.x.untouched, 6 + 6, "a named mapper in a mapper");
    expect(pointed.x[2], 9, "through a pointer");
    expect(h.both[1].x[1], 8, "beside a default one");

#pragma omp target data map(to : v)
    {
        for (int i = 0; i < 10; i++)
            v.x[i] = 2;
#pragma omp target update to(v)
#pragma omp target
        for (int i = 0; i < 10; i++)
            v.x[i] += 1;
        expect(total(&v), 20, "nothing came back yet");
#pragma omp target update from(v)
    }
    expect(total(&v), 30, "update with a mapper");

    struct list third = {NULL, 3}, second = {&third, 2}, first = {&second, 1};
    int count = 0;
#pragma omp target map(tofrom : count)
    for (struct list *l = &first; l != NULL; l = l->next) {
        l->value *= 10;
        count++;
    }
    expect(count, 3, "a linked list");
    expect(third.value, 30, "its end");

    struct grid g = {4, 5, malloc(4 * sizeof(int *))};
    for (int i = 0; i < 4; i++) {
        g.row[i] = calloc(5, sizeof(int));
        g.row[i][1] = i;
    }
#pragma omp target enter data map(mapper(grid), to : g)
#pragma omp target map(mapper(grid), tofrom : g)
    for (int i = 0; i < g.rows; i++)
        g.row[i][4] = 10 * i + g.row[i][1];
    expect(g.row[3][4], 0, "still on the device");
#pragma omp target exit data map(mapper(grid), from : g)
    expect(g.row[3][4], 33, "pointers to pointers");
    expect(omp_target_is_present(g.row[2], omp_get_default_device()), 0, "all gone");
}

static void iterators(void)
{
    int *rows[6], n = 6;
    for (int i = 0; i < n; i++) {
        rows[i] = malloc(4 * sizeof(int));
        for (int j = 0; j < 4; j++)
            rows[i][j] = i + j;
    }
#pragma omp target map(iterator(i = 0 : n), tofrom : rows[i][0 : 4]) map(to : rows)
    for (int i = 0; i < n; i++)
        rows[i][3] *= -1;
    expect(rows[5][3], -8, "rows by an iterator");
#pragma omp target data map(iterator(i = 0 : n : 2), to : rows[i][0 : 4])
    {
#pragma omp target update from(iterator(unsigned i = 0 : n : 2) : rows[i][1 : 2])
    }
    int a[10];
    for (int i = 0; i < 10; i++)
        a[i] = i;
#pragma omp target map(iterator(i = 1 : 9 : 3), tofrom : a[i])
    {
        a[1] = 11;
        a[4] = 14;
        a[7] = 17;
    }
    expect(a[1] + a[4] + a[7], 42, "elements by an iterator");
    expect(a[5], 5, "an element between");
}

static void rectangles(void)
{
    int m[6][8], line[20], *p = line;
    memset(m, 0, sizeof m);
    memset(line, 0, sizeof line);
    int low = 1;
#pragma omp target data map(to : m, p[0 : 20])
    {
#pragma omp target
        {
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 8; j++)
                    m[i][j] = 10 * i + j;
            for (int i = 0; i < 20; i++)
                p[i] = i;
        }
#pragma omp target update from(m[low : 3][2 : 4], p[1 : 5 : 3])
        int sum = 0, others = 0;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 8; j++) {
                if (i >= 1 && i < 4 && j >= 2 && j < 6)
                    sum += m[i][j] == 10 * i + j;
                else
                    others += m[i][j];
            }
        expect(sum, 12, "a rectangle");
        expect(others, 0, "nothing around it");
        expect(p[1] + p[4] + p[7] + p[10] + p[13], 35, "a stride");
        expect(p[2] + p[3] + p[16], 0, "nothing between");
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 8; j++)
                m[i][j] = -1;
#pragma omp target update to(m[0 : 2 : 5][0 : 2], m[2][::4])
#pragma omp target map(from : sum)
        {
            sum = 0;
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 8; j++)
                    sum += m[i][j] == -1;
        }
        expect(sum, 6, "strides in rows and columns");
    }
}

static void members(void)
{
    struct {
        int in, gap, out;
        int *list, also;
    } s = {1, 2, 3, NULL, 5};
    int storage[4] = {1, 2, 3, 4};
    s.list = storage;
#pragma omp target map(to : s.in) map(alloc : s.gap) map(from : s.out) map(tofrom : s.also, s.list[0 : 4])
    {
        s.out = s.in + 10;
        s.gap = 99;
        s.in = 98;
        s.also++;
        s.list[3] = 40;
    }
    expect(s.out, 11, "a member that comes back");
    expect(s.in, 1, "a member that does not");
    expect(s.gap, 2, "a member between them");
    expect(s.also, 6, "a member both ways");
    expect(storage[3], 40, "what a member points to");
    expect(s.list == storage, 1, "the pointer is the host's");
#pragma omp target data map(to : s)
    {
#pragma omp target
        {
            s.in = 31;
            s.gap = 32;
            s.out = 33;
        }
#pragma omp target update from(s.in, s.out)
    }
    expect(s.in + s.out, 64, "members by update");
    expect(s.gap, 2, "not the one between");
}

int main(void)
{
    mappers();
    iterators();
    rectangles();
    members();
    return failures != 0;
}
