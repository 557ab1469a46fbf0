/* What <omp.h> and the C library declare without a tag goes into functions by its address: locks, with hints, divisions. */
#include <omp.h>
#include <stdlib.h>
#include "../expect.h"

#pragma omp declare target
static void add(omp_lock_t *l, int *x, int by)
{
    omp_set_lock(l);
    *x += by;
    omp_unset_lock(l);
}
static void take(omp_nest_lock_t *l) { omp_set_nest_lock(l); }
static void give(omp_nest_lock_t *l) { omp_unset_nest_lock(l); }
static void divide(div_t *d, int by) { d->rem = d->quot % by; d->quot /= by; }
#pragma omp end declare target

struct account {
    omp_lock_t lock;
    int sum;
};

int main(void)
{
    int sum = 0, nested = 0, whole = 0, quot = 0, rem = 0, other = 0;
    omp_lock_t here;
    omp_init_lock_with_hint(&here, omp_sync_hint_contended);
#pragma omp parallel for
    for (int i = 1; i <= 10; i++)
        add(&here, &sum, i);
    omp_destroy_lock(&here);
    EXPECT(sum, 55);
#pragma omp target map(tofrom : sum, nested, whole, quot, rem, other)
    {
        omp_lock_t l;
        omp_nest_lock_t n;
        struct account a = {.sum = 0};
        div_t d = {47, 0};
        omp_init_lock_with_hint(&l, omp_sync_hint_speculative);
        omp_init_lock(&a.lock);
        omp_init_nest_lock_with_hint(&n, omp_sync_hint_none);
#pragma omp parallel for
        for (int i = 1; i <= 10; i++) {
            add(&l, &sum, i);
            add(&a.lock, &a.sum, i);
            take(&n);
            take(&n);
            nested += i;
            give(&n);
            give(&n);
            if (i == 10)
                divide(&d, 5);
        }
        whole = a.sum;
        quot = d.quot;
        rem = d.rem;
        omp_destroy_nest_lock(&n);
        omp_destroy_lock(&a.lock);
        omp_destroy_lock(&l);
        other = omp_is_free_agent();
    }
    EXPECT(sum, 110);
    EXPECT(nested, 55);
    EXPECT(whole, 55);
    EXPECT(quot, 9);
    EXPECT(rem, 2);
    EXPECT(other, 0);
    EXPECT(omp_control_tool(omp_control_tool_start, 0, 0), omp_control_tool_notool);
    return failures != 0;
}
