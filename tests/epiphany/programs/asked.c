/* Locks of <omp.h>, wherever they lie, and what a kernel may ask of OpenMP, inside and outside of parallel regions. */
#include <omp.h>
#include <stdio.h>

#pragma omp declare target
static int deep(omp_nest_lock_t *lock, int n)
{
    int held;
    omp_set_nest_lock(lock);
    held = n == 0 ? omp_test_nest_lock(lock) : deep(lock, n - 1);
    if (n == 0) omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
    return held;
}

/* The numbers of all levels. */
static int where(void)
{
    int all = 0;
    for (int level = -1; level <= 4; level++) all = all * 10 + 1 + omp_get_ancestor_thread_num(level) * 0 + omp_get_team_size(level);
    return all;
}
#pragma omp end declare target

int main(void)
{
    int alone = 0, kept = 0, counts[3] = {0}, levels[6] = {0}, held = 0, right = 0, limits = 0, passed = 0;
#pragma omp target map(from: alone, kept)
    {
        omp_set_max_active_levels(0);
#pragma omp parallel num_threads(4)
#pragma omp masked
        alone = omp_get_num_threads() * 10 + omp_get_max_active_levels();
        omp_set_max_active_levels(1);
        kept = omp_get_max_active_levels();
    }
    printf("%d %d\n", alone, kept);
#pragma omp target map(tofrom: counts, levels, held, right, limits, passed)
    {
        omp_lock_t lock;
        static omp_nest_lock_t nest;
        omp_init_lock(&lock);
        omp_init_nest_lock(&nest);
        levels[0] = omp_get_level() * 10 + omp_get_active_level() + 100 * omp_in_parallel() + omp_get_num_threads() * 1000;
        levels[1] = where();
#pragma omp parallel num_threads(4)
        {
            for (int i = 0; i < 20; i++) {
                omp_set_lock(&lock);
                counts[0]++;
                omp_unset_lock(&lock);
                while (!omp_test_lock(&lock));
                counts[1] += omp_test_lock(&lock) == 0;
                omp_unset_lock(&lock);
                omp_set_nest_lock(&nest);
                int now = deep(&nest, 3);
                if (now > held) held = now;
                counts[2]++;
                omp_unset_nest_lock(&nest);
            }
#pragma omp barrier
#pragma omp master
            {
                levels[2] = omp_get_level() * 10 + omp_get_active_level() + 100 * omp_in_parallel();
                levels[3] = where();
            }
            omp_set_lock(&lock);
            right += omp_get_ancestor_thread_num(1) == omp_get_thread_num() && omp_get_ancestor_thread_num(0) == 0 && omp_get_ancestor_thread_num(2) == -1;
            omp_unset_lock(&lock);
#pragma omp barrier
            int me = omp_get_thread_num();
#pragma omp parallel num_threads(2)
            {
                omp_set_lock(&lock);
                right += omp_get_ancestor_thread_num(1) == me && omp_get_thread_num() == 0 && omp_get_ancestor_thread_num(2) == 0;
                if (me == 2) levels[4] = where(), levels[5] = omp_get_level() * 10 + omp_get_active_level() + 100 * omp_in_parallel();
                omp_unset_lock(&lock);
            }
        }
        omp_destroy_lock(&lock);
        omp_destroy_nest_lock(&nest);
        omp_set_num_threads(3);
        limits = omp_get_max_threads();
#pragma omp parallel
#pragma omp single
        limits = limits * 10 + omp_get_num_threads();
        limits = limits * 10 + (omp_get_thread_limit() >= 3) + (omp_get_num_procs() >= 1) + (omp_get_supported_active_levels() >= 1);
        limits = limits * 10 + omp_get_cancellation() + omp_get_max_active_levels();
        int alone = 0, below = 0, after = 0;
#pragma omp parallel num_threads(2)
        {
            omp_set_num_threads(1);
#pragma omp parallel
            omp_set_num_threads(2);
        }
        alone = omp_get_max_threads();
#pragma omp parallel num_threads(1)
        omp_set_num_threads(2);
        below = omp_get_max_threads();
#pragma omp task
        omp_set_num_threads(2);
#pragma omp taskwait
        after = omp_get_max_threads();
        limits = limits * 1000 + alone * 100 + below * 10 + after;
        double begin = omp_get_wtime(), end = begin;
        while (end - begin < 0.01) end = omp_get_wtime();
        passed = end - begin < 5 && omp_get_wtick() > 0 && omp_get_wtick() < 1;
    }
    printf("%d %d %d %d %d %d %d\n", counts[0], counts[1], counts[2], held, right, limits, passed);
    for (int i = 0; i < 6; i++) printf("%d ", levels[i]);
    printf("\n");
    return 0;
}
