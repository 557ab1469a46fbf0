// A large array is processed in chunks that fit the device.
#include <stdlib.h>
#define CHUNK 100

static void chunk(int *a, int from, int len)
{
#pragma omp target teams distribute parallel for map(tofrom: a[from:len]) //@ good bad2 // or-here [bad2]
#pragma omp target teams distribute parallel for map(tofrom: a[0:len]) //@ bad // expect: mapping [bad]
    for (int i = from; i < from + len; i++) //@ good bad
    for (int i = from; i <= from + len; i++) //@ bad2
        a[i] = a[i] * 2 + 1; // expect: mapping [bad bad2]
}

int main(void)
{
    int n = 450;
    int *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int at = 0; at < n; at += CHUNK)
        chunk(a, at, at + CHUNK <= n ? CHUNK : n - at);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad |= a[i] != 2 * i + 1;
    free(a);
    return bad;
}
