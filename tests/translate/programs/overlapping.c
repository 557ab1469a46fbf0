/* Pointers that lead to the same storage: what a kernel writes through one, it reads through the other.  Each region runs on
   the host and on the device, and has to leave the same; a compiler that were told that they do not overlap would read
   `from[0]` once. */
#include "expect.h"
#include <omp.h>
#include <string.h>

enum { N = 64 };

struct box {
    int *of, length;
};

#pragma omp declare target
int shared[N];
static void put(int *to, int i, int value) { to[i] = value; }
static int get(const int *from) { return from[0]; }
static int *second(int *first) { return first + 1; }
#pragma omp end declare target

static void plain(int *to, int *from, int there)
{
    #pragma omp target if(there)
    for (int i = 0; i < N / 2; i++)
        to[i] = from[0] + i + 1;
}

static void by_local_pointers(int *to, int *from, int there)
{
    #pragma omp target if(there)
    {
        int *at = to + 1, *down = from;
        at--;
        for (int i = 0; i < N / 2; i++)
            at[i] = down[0] + *(down + i) + 1;
    }
}

static void by_choice(int *to, int *from, int there)
{
    #pragma omp target if(there)
    for (int i = 0; i < N / 2; i++) {
        int *at = i % 2 ? to : from;
        at[i] = from[0] + to[1] + i;
    }
}

static void by_memory(int *to, int *from, int there)
{
    #pragma omp target if(there)
    {
        int *kept[2] = {to, to}, **of = kept;
        for (int i = 0; i < N / 2; i++)
            of[1][i] = from[0] + i + 1;
    }
}

static void by_functions(int *to, int *from, int there)
{
    #pragma omp target if(there)
    for (int i = 0; i < N / 2; i++) {
        put(to, i, get(from) + i + 1);
        *second(to) += from[0];
    }
}

static void by_library(int *to, int *from, int there)
{
    #pragma omp target if(there)
    for (int i = 1; i < N / 2; i++) {
        memcpy(to + i, from, sizeof *to);
        to[0] = to[i] + i;
    }
}

static void by_atomics(int *to, int *from, int there)
{
    #pragma omp target if(there)
    for (int i = 0; i < N / 2; i++) {
        #pragma omp atomic
        to[0] += i;
        #pragma omp atomic update
        to[i] += from[0];
    }
}

static void by_number(int *to, int *from, int there)
{
    #pragma omp target if(there)
    for (int i = 0; i < N / 2; i++)
        i[to] = from[0] + i + 1;
}

static void by_all_threads(int *to, int *from, int there)
{
    #pragma omp target teams distribute parallel for if(target: there)
    for (int i = 0; i < N - 4; i += 4) { /* each has its own four elements */
        to[i] += 1;
        to[i] += from[i];
    }
}

/* What is based on a `restrict` pointer may lead where it leads. */
static void based(int *restrict to, int *offset, int there)
{
    int *from = to + (offset - to);
    #pragma omp target if(there)
    for (int i = 0; i < N / 2; i++)
        to[i] = from[0] + i + 1;
}

typedef void function(int *to, int *from, int there);

static void fill(int *array)
{
    for (int i = 0; i < N; i++)
        array[i] = 3 * i + 2;
}

static void check(const int *got, const int *want, const char *what)
{
    for (int i = 0; i < N; i++)
        expect(got[i], want[i], what);
}

/* With the two `distance` elements apart in one mapped array, then in two arrays. */
static void compare(function *f, const char *what)
{
    for (int distance = 0; distance < 3; distance++) {
        int here[N], there[N];
        fill(here), fill(there);
        f(here, here + distance, 0);
        #pragma omp target data map(tofrom: there)
        f(there, there + distance, 1);
        check(there, here, what);
        fill(here), fill(there);
        f(here + distance, here, 0);
        #pragma omp target data map(tofrom: there)
        f(there + distance, there, 1);
        check(there, here, what);
    }
    int to[2][N], from[2][N]; /* of the host, of the device */
    fill(to[0]), fill(to[1]), fill(from[0]), fill(from[1]);
    f(to[0], from[0], 0);
    int *a = to[1], *b = from[1];
    #pragma omp target data map(tofrom: a[0:N], b[0:N])
    f(a, b, 1);
    check(to[1], to[0], what);
    check(from[1], from[0], what);
}

static void through_a_structure(void)
{
    int array[N], *from = array;
    struct box box = {array, N};
    fill(array);
    #pragma omp target data map(tofrom: array) map(to: box)
    {
        #pragma omp target map(box.of[0:N])
        for (int i = 0; i < box.length; i++)
            box.of[i] = from[0] + 1;
    }
    EXPECT(array[0], 3);
    EXPECT(array[1], 4);
    EXPECT(array[N - 1], 4);
}

static void through_a_global(void)
{
    int *from = shared;
    fill(shared);
    #pragma omp target update to(shared)
    #pragma omp target
    for (int i = 0; i < N; i++)
        shared[i] = from[0] + 1;
    #pragma omp target update from(shared)
    EXPECT(shared[0], 3);
    EXPECT(shared[N - 1], 4);
    fill(shared);
    #pragma omp target update to(shared)
    #pragma omp target map(tofrom: shared)
    for (int i = 0; i < N; i++)
        shared[i] = from[0] + 1;
    #pragma omp target update from(shared)
    EXPECT(shared[N - 1], 4);
}

static void through_rows(void)
{
    static int table[N][N];
    int *row = table[1], (*all)[N] = table;
    fill(row);
    #pragma omp target data map(tofrom: table)
    {
        #pragma omp target
        for (int i = 0; i < N; i++)
            table[1][i] = row[0] + 1;
        #pragma omp target
        for (int i = 0; i < N; i++)
            all[1][i] += table[1][1];
    }
    EXPECT(table[1][0], 3 + 4);
    EXPECT(table[1][2], 4 + 8);
}

static void through_a_variable(void)
{
    int x = 1, *at = &x, seen[N];
    #pragma omp target map(tofrom: x, seen)
    for (int i = 0; i < N; i++) {
        *at += 1;
        seen[i] = x;
    }
    EXPECT(x, N + 1);
    EXPECT(seen[N - 1], N + 1);
}

static void through_a_device_pointer(void)
{
    int array[N], *to = array, *from = array;
    fill(array);
    #pragma omp target data map(tofrom: array)
    {
        #pragma omp target data use_device_ptr(to)
        {
            #pragma omp target is_device_ptr(to)
            for (int i = 0; i < N; i++)
                to[i] = from[0] + 1;
            #pragma omp target is_device_ptr(to)
            for (int i = 0; i < N; i++)
                from[i] = to[0] + 1;
        }
    }
    EXPECT(array[0], 4);
    EXPECT(array[N - 1], 5);
}

/* Two ranges of the host stand for the same memory of the device. */
static void through_associations(void)
{
    int one[N], two[N], device = omp_get_default_device(), *to = one, *from = two;
    int *memory = omp_target_alloc(sizeof one, device);
    if (device == omp_get_initial_device() || memory == NULL)
        return;
    fill(one), fill(two);
    omp_target_associate_ptr(one, memory, sizeof one, 0, device);
    omp_target_associate_ptr(two, memory, sizeof two, 0, device);
    #pragma omp target update to(one)
    #pragma omp target
    for (int i = 0; i < N; i++)
        to[i] = from[0] + 1;
    #pragma omp target update from(one)
    EXPECT(one[0], 3);
    EXPECT(one[N - 1], 4);
    omp_target_disassociate_ptr(one, device);
    omp_target_disassociate_ptr(two, device);
    omp_target_free(memory, device);
}

/* Regions that run side by side, each on its part of one array; then one that waits for them. */
static void beside_others(void)
{
    int array[4 * N], sums[N] = {0}, *a = array;
    for (int i = 0; i < 4 * N; i++)
        array[i] = i;
    #pragma omp target data map(tofrom: array, sums)
    {
        #pragma omp target nowait depend(out: array[0])
        for (int i = 0; i < N; i++)
            a[i] = a[0] + i + 1;
        #pragma omp target nowait depend(out: ((int *)array)[N])
        for (int i = N; i < 2 * N; i++)
            a[i] = a[3 * N] + a[i];
        #pragma omp target nowait depend(in: array[0], array[N]) depend(out: sums)
        for (int i = 0; i < N; i++)
            sums[i] = a[i] + a[N + i];
        #pragma omp taskwait
    }
    for (int i = 0, first = 0; i < N; i++) {
        EXPECT(array[i], first + i + 1);
        first = array[0];
        EXPECT(sums[i], array[i] + array[N + i]);
        EXPECT(array[N + i], 4 * N + i);
    }
}

int main(void)
{
    compare(plain, "plain");
    compare(by_local_pointers, "local pointers");
    compare(by_choice, "a choice");
    compare(by_memory, "memory");
    compare(by_functions, "functions");
    compare(by_library, "the library");
    compare(by_atomics, "atomics");
    compare(by_number, "a number");
    compare(by_all_threads, "all threads");
    compare(based, "restrict");
    through_a_structure();
    through_a_global();
    through_rows();
    through_a_variable();
    through_a_device_pointer();
    through_associations();
    beside_others();
    return failures;
}
