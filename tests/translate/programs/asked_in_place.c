/* Parallel constructs strictly inside of target, whose threads and conditions only the device knows. */
#include <omp.h>

#include "expect.h"

#pragma omp declare target
static int wanted = 3;
static int half(int n)
{
    return n / 2;
}
#pragma omp end declare target

int main(void)
{
    int c = 2, threads[3] = {4, 1, 2}, seen = 0, many = 0, *p = &threads[1];
    struct {
        int on, n;
    } how = {0, 4};
#pragma omp target map(tofrom : c)
    {
#pragma omp parallel for num_threads(c) schedule(dynamic, c) reduction(* : c) if (c > 1)
        for (int i = 0; i < 3; i++)
            c *= 2;
    }
    expect(c, 16, "a variable that the region changes");
#pragma omp target map(to : threads) map(tofrom : seen)
#pragma omp parallel num_threads(threads[0]) reduction(max : seen)
    seen = omp_get_num_threads();
    expect(seen > 1 && seen <= 4, 1, "num_threads of an element");
#pragma omp target map(to : how) map(tofrom : seen, many)
#pragma omp parallel if (how.on) num_threads(how.n) reduction(+ : many)
    {
        seen = omp_get_num_threads();
        many++;
    }
    expect(seen * 10 + many, 11, "a condition that is false");
#pragma omp target teams num_teams(2) map(to : p[0 : 1]) map(tofrom : many)
#pragma omp distribute parallel for if (p[0] > 1) reduction(+ : many)
    for (int i = 0; i < 20; i++)
        many += omp_get_num_threads();
    expect(many, 21, "in teams");
#pragma omp target parallel if (c == 3) num_threads(4) map(from : seen) reduction(+ : many) // in place, one thread
    {
        seen = omp_get_num_threads();
        many++;
    }
    expect(seen * 100 + many, 122, "a condition of both constructs");
    wanted = 2;
#pragma omp target map(from : seen, many)
#pragma omp parallel num_threads(half(wanted * 2 - 2)) if (wanted == 3)
#pragma omp single
    {
        seen = omp_get_num_threads();
        many = wanted;
    }
    expect(seen == half(many * 2 - 2), 1, "a variable of the device's own");
    return failures != 0;
}
