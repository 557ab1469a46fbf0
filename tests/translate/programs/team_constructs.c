/* What some threads of a team run: sections, single with copyprivate, masked, cancel, error; nested parallel regions. */
#include <omp.h>

#include "expect.h"

struct pair {
    int a, b;
};
#pragma omp declare target
/* Every thread of the team gets the value that one of them made. */
static int agreed(int *out)
{
    struct pair p = {omp_get_thread_num(), 1};
    double wide[40];
    wide[39] = omp_get_thread_num() + 0.5;
#pragma omp single copyprivate(p, wide)
    {
        p.a = 70;
        p.b = 7;
        wide[0] = 3;
        wide[39] = 4;
    }
#pragma omp atomic
    out[0] += p.a + p.b + (int)wide[0] + (int)wide[39];
    return p.a;
}
#pragma omp end declare target

static void sections(int threads)
{
    int ran[7] = {0}, last = -1, one = 0, two = 0, order[3] = {0};
#pragma omp target map(tofrom : ran, last)
#pragma omp parallel sections num_threads(threads) lastprivate(last) firstprivate(order)
    {
        {
            ran[0]++;
            last = 1;
        }
#pragma omp section
        ran[1]++;
#pragma omp section
        ran[2]++;
#pragma omp section
        {
            order[0]++;
            ran[3] += order[0];
        }
#pragma omp section
        ran[4]++;
#pragma omp section
        ran[5]++;
#pragma omp section
        {
            int twice = 2;
            ran[6]++;
            last = 21 * twice;
        }
    }
    for (int i = 0; i < 7; i++)
        expect(ran[i], 1, "section");
    expect(last, 42, "lastprivate");
#pragma omp target map(tofrom : one, two) map(from : last)
    {
        int part = 0, value = 5, end = 0;
#pragma omp parallel num_threads(threads)
        {
#pragma omp sections reduction(+ : part) lastprivate(end) firstprivate(value)
            {
                part += value;
#pragma omp section
                {
                    part += value;
                    end = 3;
                }
#pragma omp section
                {
                    part += 1;
                    end = value + 4;
                }
            }
#pragma omp sections nowait
            {
#pragma omp section
                one = part;
            }
#pragma omp barrier
#pragma omp masked
            two = end;
        }
#pragma omp parallel sections
        {
            last = part + end;
        }
    }
    expect(one, 11, "reduction on sections");
    expect(two, 9, "lastprivate on sections");
    expect(last, 20, "parallel sections");
}

/* Nobody goes on before every section has ended: whatever a thread reads then is there. */
static void sections_end_together(int threads)
{
    int made[2] = {0}, early = 0;
#pragma omp target parallel num_threads(threads) map(tofrom : made, early)
    {
#pragma omp sections
        {
            made[0] = 3;
#pragma omp section
            {
                for (volatile int i = 0; i < 1000; i++)
                    ;
                made[1] = 4;
            }
        }
        if (made[0] + made[1] != 7) {
#pragma omp atomic
            early++;
        }
    }
    expect(early, 0, "the end of sections");
}

static void agreement(int threads)
{
    int sum[2] = {0}, team = 0;
#pragma omp target parallel num_threads(threads) map(tofrom : sum, team)
    {
        int mine = agreed(sum);
#pragma omp single
        team = omp_get_num_threads();
#pragma omp atomic
        sum[1] += mine;
    }
    expect(sum[0], 84L * team, "copyprivate of a struct and an array");
    expect(sum[1], 70L * team, "copyprivate in a function");
}

#pragma omp declare target
/* Every thread reads what its neighbour wrote before the barrier. */
static void rotate(int *from, int *to)
{
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int round = 0; round < 3; round++) {
        to[me] = from[(me + 1) % threads];
#pragma omp barrier
        from[me] = to[me];
#pragma omp barrier
    }
}
/* A parallel region of a function: its variables are shared on the stack of the team. */
static int spread(int threads, int *rounds)
{
    int from[256], to[256], team = 0, wrong = 0;
#pragma omp parallel num_threads(threads)
    {
        from[omp_get_thread_num()] = omp_get_thread_num();
#pragma omp single
        team = omp_get_num_threads();
        rotate(from, to);
    }
    for (int i = 0; i < team; i++)
        wrong += from[i] != (i + 3) % team;
    (*rounds)++;
    return wrong;
}
#pragma omp end declare target

static void barriers(int threads)
{
    int wrong = 0, rounds = 0, after = 0;
#pragma omp target map(tofrom : wrong, rounds, after)
    {
        wrong = spread(threads, &rounds);
        int from[256], to[256];
#pragma omp parallel num_threads(threads) reduction(+ : after)
        {
            from[omp_get_thread_num()] = omp_get_thread_num();
#pragma omp barrier
            rotate(from, to);
            after += from[omp_get_thread_num()] != (omp_get_thread_num() + 3) % omp_get_num_threads();
        }
        wrong += spread(threads, &rounds);
    }
    expect(wrong, 0, "barriers in a function's region");
    expect(after, 0, "barriers");
    expect(rounds, 2, "regions of a function");
}

static void nested(void)
{
    int seen[64] = {0}, levels = 0, inner = 0;
#pragma omp target parallel for num_threads(64) map(tofrom : seen, levels) reduction(+ : inner)
    for (int i = 0; i < 64; i++) {
        int mine = i;
#pragma omp parallel num_threads(1) reduction(+ : inner)
        {
#pragma omp for
            for (int j = 0; j < 3; j++)
                mine += j;
#pragma omp barrier
            inner += omp_get_thread_num() + 1;
        }
        seen[i] = mine;
        if (i == 0)
            levels = omp_get_level();
    }
    for (int i = 0; i < 64; i++)
        expect(seen[i], i + 3, "a nested parallel region");
    expect(inner, 64, "reduction of a nested region");
    expect(levels, 1, "level");
}

/* Regions three deep, where what the construct and the regions ask for is known when it runs. */
static void deeper(int limit, int n)
{
    int sum = 0, level = 0;
#pragma omp target teams num_teams(2) thread_limit(limit + 2) map(tofrom : sum, level)
#pragma omp parallel for num_threads(n) schedule(static, n - 1)
    for (int i = 0; i < 12; i++) {
        int part = 0;
#pragma omp parallel for num_threads(n + i) reduction(+ : part) if (i != limit) schedule(dynamic, n)
        for (int k = 0; k < n; k++) {
            part += k;
#pragma omp parallel
#pragma omp atomic write
            level = omp_get_level();
        }
#pragma omp atomic
        sum += part;
    }
    expect(sum, 72, "regions three deep");
    expect(level, 3, "their level");
}

int main(void)
{
    /* Whole warps and parts of them; more than a team has. */
    const int sizes[] = {1, 2, 33, 40, 95, 96, 200};
    for (int k = 0; k < 7; k++) {
        sections(sizes[k]);
        sections_end_together(sizes[k]);
        agreement(sizes[k]);
        barriers(sizes[k]);
    }
    nested();
    deeper(40, 3);
    int done = 0, asked = 0;
#pragma omp target parallel map(tofrom : done, asked)
#pragma omp for
    for (int i = 0; i < 50; i++) {
#pragma omp cancel for if (asked > 100)
#pragma omp cancellation point for
#pragma omp atomic
        done++;
    }
    expect(done, 50, "an inactive cancel");
#pragma omp target map(tofrom : done)
    {
        if (done < 0) {
#pragma omp error at(execution) severity(fatal) message("never")
        }
        done = 51;
    }
    expect(done, 51, "an error that is not reached");
    int outside = -1, size = -1;
#pragma omp target map(from : outside, size)
    {
        outside = omp_get_level();
        size = omp_get_team_size(1);
    }
    expect(outside, 0, "the level where nothing is parallel");
    expect(size, -1, "a team that is not there");
    return failures != 0;
}
