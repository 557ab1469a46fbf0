// Views into one allocation: the whole is mapped, kernels use parts.
#include <stdlib.h>

struct view { float *base; int len; };

static void axpby(struct view y, struct view x, float a)
{
    float *py = y.base, *px = x.base;
    int n = y.len;
#pragma omp target teams distribute parallel for map(tofrom: py[0:n]) map(to: px[0:n])
    for (int i = 0; i < n; i++)
        py[i] += a * px[i];
}

int main(void)
{
    int n = 32, bad = 0;
    float *pool = malloc(3 * n * sizeof *pool);
    for (int i = 0; i < 3 * n; i++)
        pool[i] = (float)(i / n + 1);
    struct view a = {pool, n}, b = {pool + n, n}, c = {pool + 2 * n, n};
#pragma omp target enter data map(to: pool[0:3*n]) //@ good bad bad2
#pragma omp target enter data map(to: pool[0:2*n]) //@ bad3 // or-here [bad3]
    axpby(a, b, 2);
    axpby(b, c, 1);
#pragma omp target exit data map(from: pool[0:3*n]) //@ good bad3 // expect: mapping [bad3]
#pragma omp target exit data map(delete: pool[0:3*n]) //@ bad // or-here [bad]
#pragma omp target exit data map(from: pool[0:n]) //@ bad2 // or-here [bad2]
    for (int i = 0; i < n; i++)
        bad |= pool[i] != 5 || pool[n + i] != 5; // expect: mapping [bad bad2]
    free(pool);
    return bad;
}
