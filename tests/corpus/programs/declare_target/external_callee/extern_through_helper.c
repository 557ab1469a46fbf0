// The helper is in this file; what it calls is not.
#include <stdio.h>

#pragma omp declare target //@ good
extern int lookup(int key);
#pragma omp end declare target //@ good

static int twice(int k)
{
    return 2 * lookup(k); // expect: mapping
}

int count(const int *keys, int n)
{
    int c = 0;
#pragma omp target teams distribute parallel for reduction(+: c) map(to: keys[0:n])
    for (int i = 0; i < n; i++)
        c += twice(keys[i]); // or-here
    return c;
}
//@ run {
int lookup(int key) { return key + 1; }
int main(void)
{
    int keys[5] = { 1, 2, 3, 4, 5 };
    return count(keys, 5) != 40;
}
