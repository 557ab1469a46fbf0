/* thread_limit holds for all parallel regions of a construct, also in functions, and the routines know it, also without one. */
#include <omp.h>

#include "expect.h"

#pragma omp declare target
static int team_of_function(int asked)
{
    int threads = 0;
#pragma omp parallel num_threads(asked) reduction(+ : threads)
    threads++;
    return threads;
}
static int limit_and_most(int *most)
{
    *most = omp_get_max_threads();
    return omp_get_thread_limit();
}
#pragma omp end declare target

int main(void)
{
    int limit = 0, threads = 0, most = 0, in_function = 0, n = 5, asked = 50;
#pragma omp target teams num_teams(1) thread_limit(16) map(from : limit, most, in_function) map(tofrom : threads)
    {
        limit = limit_and_most(&most);
        in_function = team_of_function(40);
#pragma omp parallel reduction(+ : threads)
        threads++;
    }
    expect(limit, 16, "the routine tells a constant limit");
    expect(most <= 16 && threads <= 16, 1, "a parallel region without num_threads");
    expect(in_function <= 16, 1, "a parallel region in a function");
    threads = 0;
#pragma omp target thread_limit(n) map(from : limit, in_function) map(tofrom : threads) firstprivate(asked)
    {
        limit = omp_get_thread_limit();
        omp_set_num_threads(7);
        in_function = team_of_function(asked);
#pragma omp parallel num_threads(asked) reduction(+ : threads)
        threads++;
    }
    expect(limit, 5, "the routine tells what the host evaluated");
    expect(threads <= 5, 1, "num_threads beyond the limit");
    expect(in_function <= 5, 1, "num_threads beyond the limit, in a function");
    threads = 0;
#pragma omp target thread_limit(1) map(tofrom : threads)
    {
#pragma omp parallel num_threads(4) reduction(+ : threads)
        threads += 1 + omp_in_parallel();
    }
    expect(threads, 1, "a limit of one");
    int processors = 0;
#pragma omp target map(from : most, limit, processors)
    {
        most = omp_get_max_threads();
        limit = omp_get_thread_limit();
        processors = omp_get_num_procs();
    }
    threads = 0;
#pragma omp target parallel reduction(+ : threads)
    threads++;
    expect(threads <= most && threads <= limit, 1, "a region without a parallel one tells how many threads that would have");
    expect(processors > 0, 1, "processors");
#pragma omp target thread_limit(3) map(from : most, limit)
    {
        most = omp_get_max_threads();
        limit = omp_get_thread_limit();
    }
    expect(most <= 3, 1, "within a limit");
    expect(limit, 3, "a region without a parallel one knows its limit");
    return failures != 0;
}
