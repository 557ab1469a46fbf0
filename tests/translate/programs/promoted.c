/* Sequential code with parallel regions in it that may run SPMD, and code that looks alike but may not. */
#include <omp.h>

#include "expect.h"

#pragma omp declare target
static int calls;
static int more(int x) { return x + 1; }
static int counted(int x)
{
    calls++;
    return x + 1;
}
static int team_size(void) { return omp_get_num_threads(); }
#pragma omp end declare target

#define N 300

/* Jacobi's iteration: the loop's condition reads what a parallel region has written. */
static void iterate(void)
{
    double x[N] = {0}, y[N];
    int rounds = 0;
    x[0] = 1000;
#pragma omp target map(tofrom : x, rounds) map(alloc : y)
    {
        double change = 1;
        int round = 0;
        while (change > 0.5 && round < 100) {
#pragma omp parallel for
            for (int i = 1; i < N - 1; i++)
                y[i] = (x[i - 1] + x[i + 1]) / 2;
            change = 0;
#pragma omp parallel for reduction(max : change)
            for (int i = 1; i < N - 1; i++) {
                double d = y[i] > x[i] ? y[i] - x[i] : x[i] - y[i];
                if (d > change)
                    change = d;
                x[i] = y[i];
            }
            round++;
        }
        rounds = round;
    }
    double a[N] = {0}, b[N];
    double change = 1;
    int round = 0;
    a[0] = 1000;
    while (change > 0.5 && round < 100) {
        for (int i = 1; i < N - 1; i++)
            b[i] = (a[i - 1] + a[i + 1]) / 2;
        change = 0;
        for (int i = 1; i < N - 1; i++) {
            double d = b[i] > a[i] ? b[i] - a[i] : a[i] - b[i];
            change = d > change ? d : change;
            a[i] = b[i];
        }
        round++;
    }
    expect(rounds, round, "rounds");
    for (int i = 0; i < N; i++)
        expect(x[i], a[i], "iteration");
}

/* Counters, declarations, breaks, conditions; effects that must happen once; an address of a shared variable. */
static void mixed(int n)
{
    int out[N] = {0}, log[8] = {0}, sum = 0, made = 0;
#pragma omp target map(tofrom : out, log, sum, made) firstprivate(n)
    {
        int twice = 2 * n, *where = &sum, table[4] = {1, 2, 3, 4}, first = counted(n);
        struct {
            int a, b;
        } both = {first, 1};
        for (int k = 0; k < 4; k++) {
            const int factor = table[k] + log[0];
            if (k == 3)
                break;
#pragma omp parallel for
            for (int i = 0; i < N; i++)
                out[i] += factor + twice;
            log[1 + k] = out[k];
            log[0]++;
            *where += k;
            n--;
#pragma omp parallel
            {
#pragma omp single
                both.b += k;
#pragma omp for reduction(+ : made)
                for (int i = 0; i < 10; i++)
                    made += n;
            }
            if (log[0] == 2)
                continue;
            both.a += 10;
            {
                int inner = both.a;
                log[5] += inner;
            }
        }
        for (int k = 0, last = log[0] - 1; k < last; k += log[0] - 2) {
#pragma omp parallel for
            for (int i = 0; i < N; i++)
                out[i] += last;
            log[4] += last;
        }
        log[6] = both.b;
        log[7] = calls;
    }
    const int want[8] = {3, 2 * n + 1, 4 * n + 4, 6 * n + 9, 4, 2 * n + 32, 4, 1};
    for (int i = 0; i < 8; i++)
        expect(log[i], want[i], "sequential effects");
    for (int i = 0; i < N; i++)
        expect(out[i], 6 * n + 13, "a replicated factor");
    expect(sum, 3, "through a pointer");
    expect(made, 30 * n - 60, "a shared parameter");
}

/* Teams, each with its own variables. */
static void teams(void)
{
    int sums[4] = {0}, count = 0;
#pragma omp target teams num_teams(4) thread_limit(64) map(tofrom : sums, count)
    {
        int part = 0, t = omp_get_team_num();
#pragma omp parallel for reduction(+ : part)
        for (int i = 0; i < 100; i++)
            part += i + t;
        if (t < 4)
            sums[t] = part;
#pragma omp distribute parallel for
        for (int i = 0; i < 1000; i++) {
#pragma omp atomic
            count++;
        }
    }
    expect(count, 1000, "distribute in a promoted region");
    for (int t = 0; t < 4; t++)
        expect(sums[t] == 0 || sums[t] == 4950 + 100 * t, 1, "a team's sum");
    expect(sums[0], 4950, "the first team's sum");
}

/* Not to be promoted: who asks how many threads there are outside of a parallel region has to hear 1. */
static void alike(void)
{
    int outside = 0, called = 0, inside = 0, level = -1;
#pragma omp target map(tofrom : outside, called, inside, level)
    {
        outside = omp_get_num_threads();
        called = team_size();
#pragma omp parallel num_threads(40)
        {
#pragma omp single
            inside = omp_get_num_threads();
        }
        level = omp_get_level();
    }
    expect(outside, 1, "threads of the sequential part");
    expect(called, 1, "threads of the sequential part, in a function");
    expect(inside > 0 && inside <= 40, 1, "threads of the parallel region");
    expect(level, 0, "level of the sequential part");
}

/* What sequential code sets and parallel regions only read, beside what they, or a pointer, change meanwhile. */
static void read_only_there(int n)
{
    int a[64], b[64], seen[64];
    for (int i = 0; i < 64; i++) a[i] = 1, b[i] = seen[i] = 0;
#pragma omp target map(tofrom : a, b, seen)
    {
        int *from = a, *to = b, *spare, chosen = 0, changed = 5, pointed = 7, *at = &pointed, again;
        for (int d = 1; d < n; d *= 2) { /* prefix sums; a and b change places */
#pragma omp parallel for
            for (int i = 0; i < n; i++) to[i] = i >= d ? from[i] + from[i - d] : from[i];
            spare = from, from = to, to = spare;
        }
        for (int i = 0; i < n; i++) chosen = from[i] > chosen ? more(from[i]) - 1 : chosen;
#pragma omp parallel for
        for (int i = 0; i < n; i++) seen[i] = chosen + from[i];
        again = chosen = more(chosen) + more(1);
#pragma omp parallel
        {
#pragma omp single
            changed = chosen, *at = chosen + 1;
#pragma omp for
            for (int i = 0; i < n; i++) seen[i] += 1000 * (changed + pointed) + again - chosen;
        }
        seen[0] += pointed;
    }
    for (int i = 0; i < n; i++)
        expect(seen[i], n + i + 1 + 1000 * (2 * (n + 3) + 1) + (i == 0) * (n + 4), "what only sequential code changes");
}

int main(void)
{
    iterate();
    read_only_there(48);
    mixed(5);
    teams();
    alike();
    return failures != 0;
}
