/* A copy that starts from the original (omp_orig): teams that are done have changed it before others begin. */
#include "expect.h"
#include <omp.h>

#define N 40000

struct best {
    double value;
    int at;
};
static struct best better(struct best a, struct best b)
{
    return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
}
#pragma omp declare reduction(better : struct best : omp_out = better(omp_out, omp_in)) initializer(omp_priv = omp_orig)

struct large {
    int most[100];
};
static void larger(struct large *a, const struct large *b)
{
    for (int k = 0; k < 100; k++)
        a->most[k] = a->most[k] > b->most[k] ? a->most[k] : b->most[k];
}
#pragma omp declare reduction(larger : struct large : larger(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)

#pragma omp declare reduction(most : int : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = omp_orig)

static int value(int i) { return (int)((i * 7919L) % 10007); }

int main(void)
{
    struct best b = {-1, -1}, present = {1e9, 77};
    struct best generic = {3, 7};
    int most[3] = {-1, 20000, -1};
    static struct large l;
#pragma omp target teams distribute parallel for reduction(better : b) num_teams(64)
    for (int i = 0; i < N; i++) {
        const struct best mine = {value(i), i};
        b = better(b, mine);
    }
    EXPECT(b.value, 10006);
    EXPECT(value(b.at), 10006);

    /* What the device has is the original, not what the host has. */
#pragma omp target data map(to : present)
    {
        present.value = 0;
#pragma omp target teams distribute parallel for reduction(better : present) nowait depend(inout : present)
        for (int i = 0; i < N; i++)
            if (i == N / 2) {
                const struct best mine = {2e9, i};
                present = better(present, mine);
            }
#pragma omp target teams distribute parallel for reduction(better : present) depend(inout : present)
        for (int i = 0; i < N; i++) {
            const struct best mine = {1.5e9, i};
            present = better(present, mine);
        }
#pragma omp target update from(present)
    }
    EXPECT(present.value, 2e9);
    EXPECT(present.at, N / 2);

    /* Sequential code in each team. */
#pragma omp target teams reduction(better : generic) num_teams(32) map(tofrom : generic)
    {
        int ten = 0;
#pragma omp parallel for reduction(+ : ten)
        for (int i = 0; i < 10; i++)
            ten += 1;
        const struct best mine = {ten, omp_get_team_num()};
        generic = better(generic, mine);
    }
    EXPECT(generic.value, 10);
    EXPECT(generic.at, 0);

    /* Arrays, and what is too large for a parameter. */
#pragma omp target teams distribute parallel for reduction(most : most) reduction(larger : l) num_teams(16)
    for (int i = 0; i < N; i++) {
        most[i % 3] = value(i) > most[i % 3] ? value(i) : most[i % 3];
        l.most[i % 100] = value(i) > l.most[i % 100] ? value(i) : l.most[i % 100];
    }
    EXPECT(most[0] > 10000, 1);
    EXPECT(most[1], 20000);
    for (int k = 0; k < 100; k++) {
        int want = 0;
        for (int i = k; i < N; i += 100)
            want = want > value(i) ? want : value(i);
        EXPECT(l.most[k], want);
    }
    return failures != 0;
}
