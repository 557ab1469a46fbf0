/* Atomic constructs, critical sections and locks on variables that one thread has for itself: also through pointers. */
#include <omp.h>

#include "expect.h"

#pragma omp declare target
static int total;
/* Of whose memory, only the call says. */
static void __attribute__((noinline)) add(int *where, short *half, double *wide, int amount)
{
#pragma omp atomic
    *where += amount;
#pragma omp atomic
    *half += amount;
#pragma omp atomic
    *wide *= 2;
}
#pragma omp end declare target

int main(void)
{
    int direct = 0, locked = 0, sum = 0, all = 0;
#pragma omp target map(tofrom : direct, locked)
    {
        int own = 5, before, *p = &own;
        char small[2] = {1, 9};
        omp_lock_t lock;
#pragma omp atomic
        *p += 3;
#pragma omp atomic capture
        {
            before = own;
            own = own * 2;
        }
#pragma omp atomic compare
        if (own < 100) {
            own = 100;
        }
#pragma omp atomic
        small[0]--;
        direct = own + before + small[0] + small[1];
        omp_init_lock(&lock);
        omp_set_lock(&lock);
        locked = !omp_test_lock(&lock);
        omp_unset_lock(&lock);
        locked += 2 * omp_test_lock(&lock);
        omp_unset_lock(&lock);
        omp_destroy_lock(&lock);
    }
    expect(direct, 117, "on its own variables");
    expect(locked, 3, "its own lock");
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < 200; i++) {
        int mine = i;
        short half = 1;
        double wide = 0.25;
        add(i % 2 ? &mine : &total, &half, &wide, 2);
        sum += mine - i + half + (int)(2 * wide);
    }
#pragma omp target map(from : all)
    all = total;
    expect(sum, 200 + 600 + 200, "a function adds to the caller's variable");
    expect(all, 200, "or to everybody's");
    return failures != 0;
}
