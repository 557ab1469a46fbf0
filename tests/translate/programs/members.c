/* Structures of which members are mapped, and what their pointers lead to: the pointers are there, and attached. */
#include <stdio.h>
#include <stdlib.h>

static int failures;
static void expect(long got, long want, const char *what)
{
    if (got != want) {
        printf("%s: %ld, not %ld\n", what, got, want);
        failures++;
    }
}
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
int main(void)
{
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
