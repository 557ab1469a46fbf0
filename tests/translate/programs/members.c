/* Structures of which members are mapped, and what their pointers lead to: the pointers are there, and attached. */
#include <stdlib.h>

#include "expect.h"

typedef struct {
    int *keys;
    double *values;
    int used;
    long *weights;
    int length;
    char *name;
} table;

static long by_value(table t, int n)
{
    long out[n];
#pragma omp target teams distribute parallel for map(to : t.length) map(to : t.keys[ : t.length]) \
    map(to : t.values[ : t.length]) map(to : t.weights[ : t.length]) map(from : out[ : n])
    for (int i = 0; i < n; i++)
        out[i] = t.keys[i % t.length] + (long)t.values[i % t.length] * t.weights[i % t.length];
    long all = 0;
    for (int i = 0; i < n; i++)
        all += out[i];
    return all;
}
struct pair {
    table first, *second;
    double *scale;
};

static long through_pointer(table *t)
{
    long all = 0;
#pragma omp target map(to : t->weights[ : 4]) map(tofrom : all)
    for (int i = 0; i < 4; i++)
        all += t->weights[i];
    return all;
}
static long through_two(table *t, struct pair *p)
{
    long all = 0;
#pragma omp target map(to : t->keys[ : 4], p->first.values[ : 4], p->first.weights[ : 4], p->first.length)     map(tofrom : p->scale[ : 4], all)
    for (int i = 0; i < p->first.length; i++) {
        p->scale[i] += t->keys[i];
        all += (long)p->first.values[i] * p->first.weights[i];
    }
    return all;
}
static void through_pointers(void)
{
    int keys[4] = {1, 2, 3, 4};
    double values[4] = {10, 20, 30, 40}, scale[4] = {0};
    long weights[4] = {1, 2, 3, 5};
    struct pair p = {{.keys = keys, .values = values, .weights = weights, .length = 4}, 0, scale};
    expect(through_pointer(&p.first), 11, "a member of a structure that nobody mapped");
    expect(through_two(&p.first, &p), 340, "members behind two pointers");
    expect(scale[3], 4, "what a pointer that is a member leads to comes back");
#pragma omp target data map(to : p)
    {
        expect(through_pointer(&p.first), 11, "a member of a structure that is there");
        expect(through_two(&p.first, &p), 340, "members of structures that are there");
    }
    expect(scale[3], 8, "it comes back again");
    expect(p.first.weights == weights && p.scale == scale, 1, "the host's pointers stay");
}
static void through_elements(void)
{
    int *rows[5], **p = rows;
    table v[4], *w = v;
    long rows_sum = 0, keys_sum = 0;
    for (int i = 0; i < 5; i++) {
        rows[i] = malloc(6 * sizeof **rows);
        for (int j = 0; j < 6; j++)
            rows[i][j] = i + j;
    }
    for (int i = 0; i < 4; i++)
        w[i] = (table){.length = 6, .keys = rows[i]};
#pragma omp target data map(to : p[0 : 5], w[0 : 4])
    for (int i = 1; i < 4; i++) {
#pragma omp target map(tofrom : rows_sum) map(to : p[i][0 : 6])
        for (int j = 0; j < 6; j++)
            rows_sum += p[i][j];
#pragma omp target map(tofrom : keys_sum) map(to : w[i].keys[0 : 6], w[i - 1].keys[0 : 6])
        for (int j = 0; j < w[i].length; j++)
            keys_sum += w[i].keys[j] * w[i - 1].keys[j];
    }
    expect(rows_sum, 81, "a row of which the pointers are there");
    expect(keys_sum, 348, "members of elements that are there");
    for (int i = 0; i < 5; i++)
        free(rows[i]);
}
/* Members of one structure are one piece of storage, however the structure is reached. */
static void beside_each_other(void)
{
    struct row {
        int first;
        int of[4];
        int last;
        int *more;
    } *r = malloc(sizeof *r);
    struct {
        int rows;
        struct row *r;
    } all = {1, r};
    int more[3] = {7, 8, 9};
    *r = (struct row){1, {2, 3, 4, 5}, 6, more};
#pragma omp target enter data map(to : r->last, r->of[1 : 2])
#pragma omp target
    r->of[1] += r->last;
#pragma omp target exit data map(release : r->last) map(from : r->of[1 : 2])
    expect(r->of[1], 9, "members that stay on the device, behind a pointer");
#pragma omp target data map(to : r->last, r->more[0 : 3]) map(tofrom : r->of[1 : 2])
#pragma omp target
    r->of[2] += r->last + r->more[2];
    expect(r->of[2], 19, "members and a pointer beside them");
#pragma omp target map(to : all.r->last) map(tofrom : all.r->of[1 : 2])
    all.r->of[1] += all.r->last;
    expect(r->of[1], 15, "members behind a member");
    struct row v = *r;
#pragma omp target map(tofrom : v.of[0 : 4], v.of[1 : 1])
    v.of[3] += v.of[1];
    expect(v.of[3], 20, "a section in the middle of another one");
    free(r);
}
int main(void)
{
    through_pointers();
    through_elements();
    beside_each_other();
    table t = {.length = 10, .used = 7};
    t.keys = malloc(t.length * sizeof *t.keys);
    t.values = malloc(t.length * sizeof *t.values);
    t.weights = malloc(t.length * sizeof *t.weights);
    for (int i = 0; i < t.length; i++) {
        t.keys[i] = i;
        t.values[i] = 2 * i;
        t.weights[i] = 3;
    }
    int *keys = t.keys;
    expect(by_value(t, 100), 3150, "members of a parameter");
#pragma omp target enter data map(to : t.length, t.keys[ : t.length])
#pragma omp target map(tofrom : t.keys[ : t.length]) map(to : t.length)
    for (int i = 0; i < t.length; i++)
        t.keys[i] *= 10;
#pragma omp target exit data map(from : t.keys[ : t.length]) map(release : t.length)
    expect(t.keys[9] * 100 + t.keys[1], 9010, "members that stay on the device");
    expect(t.keys == keys, 1, "the host's pointer stays");
    t.used = 1;
#pragma omp target map(tofrom : t.used) map(to : t.keys[2:3])
    t.used += t.keys[2] + t.keys[4];
    expect(t.used, 61, "a member that is written, beside a pointer");
    free(t.keys);
    free(t.values);
    free(t.weights);
    return failures != 0;
}
