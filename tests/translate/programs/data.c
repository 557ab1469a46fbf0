/* Data environments: sections, structs, members, pointers in structs, firstprivate arrays, device pointers, if(0). */
#include <omp.h>
#include <stdlib.h>

#include "expect.h"

typedef struct {
    double weight;
    int id, score;
    int *list;
} record;
struct aligned {
    int first, count;
    double value;
    int rest[6];
    long long big;
};
struct node {
    struct node *next;
    int value;
};
static int table[6] = {1, 2, 3, 4, 5, 6};
#pragma omp declare target(table)
static int scale = 3;
static int scaled(int x)
{
    static int calls = 2;
#pragma omp declare target(calls)
    return scale * x + ++calls;
}
#pragma omp declare target(scale, scaled)

#pragma omp declare target
static int *shared_rows;
static int first_row(void)
{
    return shared_rows[0]++;
}
#pragma omp end declare target

/* A construct's own map of what a `declare target` pointer leads to is seen by functions that read the pointer. */
static void through_own_pointer(void)
{
    int rows[4] = {5, 6, 7, 8}, more[2] = {20, 30}, was = 0;
    shared_rows = rows + 1;
#pragma omp target map(shared_rows[ : 3]) map(from : was)
    was = first_row();
    expect(was, 6, "a declare target pointer that the construct maps through");
    expect(rows[1], 7, "what a function did there");
    shared_rows = more;
#pragma omp target map(tofrom : shared_rows[ : 2]) map(from : was)
    was = first_row() + shared_rows[1];
    expect(was, 50, "another array");
    expect(more[0], 21, "and what was done there");
}

int main(void)
{
    through_own_pointer();
    int n_threads = 1;
    record r = {.id = 3, .score = 4};
#pragma omp target map(tofrom : r.id, r.score)
    {
        r.id += 10;
        r.score += r.id;
    }
    expect(r.id, 13, "r.id");
    expect(r.score, 17, "r.score");

    struct aligned a = {1, 2, 3.5, {4, 5, 6, 7, 8, 9}, 10};
#pragma omp target map(to : a.count, a.value) map(tofrom : n_threads)
    n_threads += (int)a.value + a.count;
    expect(n_threads, 6, "members that begin in the middle of a structure are aligned");
#pragma omp target map(tofrom : a.rest[1:2], a.big)
    {
        a.rest[2]++;
        a.big += a.rest[1];
    }
    expect(a.big * 100 + a.rest[2] * 10 + a.rest[3], 1577, "a section and a member");
    n_threads = 1;

    int storage[10];
    for (int i = 0; i < 10; i++)
        storage[i] = i;
    r.list = storage;
#pragma omp target map(to : r) map(tofrom : r.list[2:4])
    for (int i = 2; i < 6; i++)
        r.list[i] *= 2;
    for (int i = 0; i < 10; i++)
        expect(storage[i], i >= 2 && i < 6 ? 2 * i : i, "pointer member");

    record *p = malloc(2 * sizeof *p);
    p[0].score = 1;
    p[1].score = 2;
#pragma omp target map(tofrom : p[0:2])
    {
        record local = p[0];
        p[0] = p[1];
        p[1] = local;
    }
    expect(p[0].score, 2, "struct assignment");
    free(p);

    int first[4] = {1, 2, 3, 4}, sum = 0;
#pragma omp target firstprivate(first) map(from : sum)
    {
        first[0] = 100;
        sum = first[0] + first[3];
    }
    expect(sum, 104, "firstprivate array");
    expect(first[0], 1, "its original");

    double large[600], other[600], back_of[3] = {0};
    for (int i = 0; i < 600; i++)
        large[i] = other[i] = i;
#pragma omp target teams distribute parallel for firstprivate(large, other) map(tofrom : back_of)
    for (int i = 0; i < 600; i++) {
        large[i] += other[i];
        if (i == 599) {
            back_of[0] = large[i];
            back_of[1] = large[i - 1] == 598 || large[i - 1] == 2 * 598;
        }
    }
    expect((long)back_of[0], 2 * 599, "large firstprivate array");
    expect((long)back_of[1], 1, "its other elements");
    expect((long)large[599], 599, "its original");

    struct { int first, rest[1500]; } big = {1, {2, 3}};
#pragma omp target firstprivate(big) map(from : sum)
    {
        big.first += big.rest[1];
        sum = big.first;
    }
    expect(sum, 4, "large firstprivate struct");
    expect(big.first, 1, "its original");

    int threads = 0;
#pragma omp target parallel map(tofrom : threads) if (parallel : n_threads > 1)
    {
#pragma omp atomic
        threads++;
    }
    expect(threads, 1, "if(parallel: 0)");

    int *dev = omp_target_alloc(10 * sizeof *dev, omp_get_default_device());
#pragma omp target is_device_ptr(dev)
    for (int i = 0; i < 10; i++)
        dev[i] = i * i;
    int back[10];
#pragma omp target is_device_ptr(dev) map(from : back)
    for (int i = 0; i < 10; i++)
        back[i] = dev[i];
    expect(back[9], 81, "is_device_ptr");
    omp_target_free(dev, omp_get_default_device());

    int *q = back;
#pragma omp target data map(tofrom : q[0:10]) use_device_ptr(q)
    {
#pragma omp target is_device_ptr(q)
        q[3] = 33;
    }
    expect(back[3], 33, "use_device_ptr");

    int yes = 0;
    if (yes)
#pragma omp target map(tofrom : sum) /* in place */
        sum = 1;
    else
#pragma omp target map(tofrom : sum) if (yes) /* in place */
    {
        sum = 2;
        sum += omp_is_initial_device() ? 10 : 0;
    }
    expect(sum, 12, "if(0) runs here");

    int m[3][4];
#pragma omp target enter data map(alloc : m)
#pragma omp target
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            m[i][j] = i * j + table[i];
#pragma omp target update from(m[1:2])
    expect(m[2][3], 9, "update of rows");
#pragma omp target exit data map(delete : m)
#pragma omp target
    table[0] = 77;
#pragma omp target update from(table)
    expect(table[0], 77, "static declare target array");
    int of_copy = 0, here = 0;
#pragma omp parallel private(scale) firstprivate(table) num_threads(1)
    {
        scale = 5;
        table[1] = 50;
#pragma omp target map(from : of_copy, here)
        {
            of_copy = scaled(10) + scale;
            scale = 6;
            here = table[1]++;
        }
        expect(scale, 5, "a copy of a declare target variable is firstprivate");
        expect(table[1], 51, "a copy of a declare target array is mapped");
    }
    expect(of_copy, 38, "a function has the variable itself");
    expect(here, 50, "the copy of an array");
    expect(table[1], 2, "the array itself");
    return failures != 0;
}
