/* What differs between machines, used in regions and between them: sizes, signs and layouts of types, and what of the
   host's interface has 64 bits everywhere.  Each check says its number when it fails. */
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 64

#pragma omp begin declare target
int first = 1, second = 2, third = 3;
char letter = (char)200;
#pragma omp end declare target
int linked[N], beside = 7;
#pragma omp declare target link(linked)

struct pair {
    char tag;
    long wide;
    char last;
};
struct list {
    long count;
    double *values;
    char *names;
    struct pair own;
};
#pragma omp declare mapper(struct list l) map(l, l.values[0:l.count])

static int failed;

static void check(int number, int holds) {
    if (holds) return;
    printf("check %d failed\n", number);
    failed = 1;
}

static void scalars(void) {
    long a = LONG_MAX, sum = 0;
    unsigned long b = ULONG_MAX;
    long double c = 1.0L / 3;
    long long d = LLONG_MIN;
    char e = CHAR_MIN;
    size_t f = (size_t)-1;
    int same[8] = {0};
    #pragma omp target map(from: same) map(tofrom: sum)
    {
        same[0] = a == LONG_MAX;
        same[1] = b == ULONG_MAX;
        same[2] = c == 1.0L / 3;
        same[3] = d == LLONG_MIN;
        same[4] = e == CHAR_MIN && (e < 0) == ((char)-1 < 0);
        same[5] = f + 1 == 0;
        same[6] = sizeof(long) * CHAR_BIT == (LONG_MAX > 0x7fffffff ? 64 : 32);
        same[7] = sizeof(void *) == sizeof(size_t);
        sum = -1;
    }
    for (int i = 0; i < 8; i++) check(i, same[i]);
    check(8, sum == -1);
}

static void structures(void) {
    struct pair pairs[N];
    struct list l = {N, malloc(N * sizeof *l.values), NULL, {1, -2, 3}};
    for (int i = 0; i < N; i++) {
        pairs[i] = (struct pair){(char)i, -i, (char)(i + 1)};
        l.values[i] = i;
    }
    #pragma omp target teams distribute parallel for map(tofrom: pairs)
    for (int i = 0; i < N; i++) pairs[i].wide += pairs[i].tag + pairs[i].last;
    #pragma omp target map(tofrom: l)
    {
        for (int i = 0; i < l.count; i++) l.values[i] += l.own.wide;
        l.own.last = (char)sizeof(struct list);
    }
    int right = 1;
    for (int i = 0; i < N; i++) right &= pairs[i].wide == i + 1 && l.values[i] == i - 2;
    check(10, right);
    check(11, l.own.last == sizeof(struct list) && l.own.tag == 1 && l.count == N);
    #pragma omp target enter data map(to: l.own) map(to: l.values[0:N])
    #pragma omp target map(always, tofrom: l.values[0:N])
    for (int i = 0; i < N; i++) l.values[i] += 1;
    #pragma omp target exit data map(release: l.own) map(release: l.values[0:N])
    check(12, l.values[N - 1] == N - 2);
    free(l.values);
}

static void variables(void) {
    int seen[6] = {0};
    #pragma omp target map(from: seen)
    {
        seen[0] = first, seen[1] = second, seen[2] = third, seen[3] = letter == (char)200;
        first += 10, second += 20, third += 30;
    }
    check(20, seen[0] == 1 && seen[1] == 2 && seen[2] == 3 && seen[3]);
    #pragma omp target update from(first, second, third)
    check(21, first == 11 && second == 22 && third == 33 && beside == 7);
    #pragma omp target map(tofrom: linked)
    for (int i = 0; i < N; i++) linked[i] = i;
    check(22, linked[N - 1] == N - 1);
}

static void tasks(void) {
    int x = 0, y = 0;
    omp_depend_t object;
    #pragma omp depobj(object) depend(inout: x)
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp target nowait map(tofrom: x) depend(out: x)
        x += 1;
        #pragma omp target nowait map(tofrom: x) map(from: y) depend(inout: x) depend(out: y)
        y = x += 2;
        #pragma omp target nowait map(tofrom: x) depend(depobj: object)
        x *= 10;
        #pragma omp taskwait
    }
    #pragma omp depobj(object) destroy
    check(30, x == 30 && y == 3);
}

static void pieces(void) {
    double grid[8][8] = {{0}};
    long count = 0;
    #pragma omp target data map(tofrom: grid)
    {
        #pragma omp target teams distribute parallel for collapse(2) reduction(+: count)
        for (long i = 0; i < 8; i++)
            for (long long j = 0; j < 8; j++) grid[i][j] = 8.0 * i + j, count++;
        grid[1][2] = -1, grid[2][3] = -1;
        #pragma omp target update from(grid[1:2][2:3:1])
        check(40, grid[1][2] == 10 && grid[2][3] == 19);
    }
    check(41, grid[7][7] == 63 && count == 64);
}

int main(void) {
    scalars();
    structures();
    variables();
    tasks();
    pieces();
    if (!failed) printf("types: long has %d bytes, pointers %d, correct\n", (int)sizeof(long), (int)sizeof(void *));
    return failed;
}
