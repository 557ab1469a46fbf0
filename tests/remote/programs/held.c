/* What several devices get that one of them has already: the argument says which way, and what is done in between. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 18, EACH = 5, MOST = 125 /* MiB */ }; /* 2 MiB each array */
static double a[N], b[N];

/* Elements are worth different numbers. */
static double sum(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * (i % 7 + 1);
    return sum;
}

/* Of what device d has. */
static double sum_on(int d)
{
    double sum = 0;
    #pragma omp target device(d) map(a) map(tofrom: sum)
    for (int i = 0; i < N; i++) sum += a[i] * (i % 7 + 1);
    return sum;
}

static void leave(int devices)
{
    for (int d = 0; d < devices; d++) {
        #pragma omp target exit data device(d) map(delete: a)
    }
}

static int is(const char *what, const char *name)
{
    return strcmp(what, name) == 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    int devices = omp_get_num_devices(), wrong = 0;
    for (int i = 0; i < N; i++) a[i] = b[i] = i % 1001;
    if (is(what, "all") || is(what, "twice")) {
        for (int d = 0; d < devices; d++) {
            #pragma omp target enter data device(d) map(to: a)
            if (is(what, "all")) continue;
            #pragma omp target update device(d) to(a)
        }
        for (int d = 0; d < devices; d++) wrong += sum_on(d) != sum();
        leave(devices);
    } else if (is(what, "host writes")) {
        for (int d = 0; d < devices; d++) {
            a[77777] += 1;
            #pragma omp target enter data device(d) map(to: a)
            wrong += sum_on(d) != sum();
        }
        leave(devices);
    } else if (is(what, "kernel writes")) { /* to what the host has as before */
        for (int d = 0; d < devices; d++) {
            #pragma omp target enter data device(d) map(to: a)
            wrong += sum_on(d) != sum();
            #pragma omp target device(d) map(a)
            a[7 * 7000] += d + 1;
            wrong += sum_on(d) != sum() + d + 1;
        }
        leave(devices);
    } else if (is(what, "chain") || is(what, "chain, host writes")) {
        for (int step = 0; step < 2 * devices; step++) {
            int d = step % devices;
            #pragma omp target device(d) map(tofrom: a) depend(inout: a) nowait
            for (int i = 0; i < N; i++) a[i] = a[i] * 2 + d;
            if (is(what, "chain, host writes")) {
                #pragma omp taskwait
                a[123456] += 5;
                b[123456] += 5;
            }
            for (int i = 0; i < N; i++) b[i] = b[i] * 2 + d;
            if (is(what, "chain, host writes")) b[123456] = a[123456];
        }
        #pragma omp taskwait
        for (int i = 0; i < N; i++) wrong += a[i] != b[i];
    } else if (is(what, "update")) {
        for (int d = 0; d < devices; d++) {
            #pragma omp target enter data device(d) map(alloc: a)
        }
        #pragma omp target update device(0) to(a)
        for (int step = 0; step < 3 * devices; step++) {
            int d = step % devices, next = (step + 1) % devices;
            #pragma omp target device(d) map(a)
            a[step] += 3;
            #pragma omp target update device(d) from(a)
            #pragma omp target update device(next) to(a)
            b[step] += 3;
        }
        for (int i = 0; i < N; i++) wrong += a[i] != b[i];
        for (int d = 0; d < devices; d++) {
            #pragma omp target exit data device(d) map(delete: a)
        }
    } else if (is(what, "sections")) { /* the same bytes elsewhere, and others at the same place */
        enum { HALF = N / 2 };
        memcpy(a + HALF, a, HALF * sizeof *a);
        memcpy(b, a, sizeof a);
        #pragma omp target enter data device(0) map(to: a[0:HALF])
        #pragma omp target enter data device(devices - 1) map(to: b[HALF:HALF])
        for (int d = 0; d < devices; d++) {
            double sum = 0, expected = 0;
            double *p = d == 0 ? a : b + HALF;
            if (d > 0 && d < devices - 1) continue;
            #pragma omp target device(d) map(p[0:HALF]) map(tofrom: sum)
            for (int i = 0; i < HALF; i++) sum += p[i] * (i % 5);
            for (int i = 0; i < HALF; i++) expected += a[i] * (i % 5);
            wrong += sum != expected;
            a[HALF / 2] += 1; /* elsewhere than on the device */
            #pragma omp target update device(0) to(a[0:HALF])
            a[HALF / 2] -= 1;
        }
        #pragma omp target exit data device(0) map(delete: a[0:HALF])
        #pragma omp target exit data device(devices - 1) map(delete: b[HALF:HALF])
    } else if (is(what, "memory")) { /* what is kept for others is there when it is needed */
        char *most = malloc((size_t)MOST << 20);
        for (int step = 0; step < EACH; step++) {
            #pragma omp target device(0) map(tofrom: a, b)
            a[step] += 1, b[step] += 1;
            #pragma omp target device(0) map(from: most[0:MOST << 20])
            most[(MOST << 20) - 1] = step + 1;
            wrong += most[(MOST << 20) - 1] != step + 1 || a[step] != step + 1 || b[step] != step + 1;
        }
        free(most);
    } else { /* threads: each has its device, all write to their own copies all the time */
        int bad = 0;
        #pragma omp parallel num_threads(2 * devices) reduction(+: bad)
        {
            int t = omp_get_thread_num(), d = t % devices;
            double *mine = malloc(sizeof a);
            for (int step = 0; step < EACH; step++) {
                for (int i = 0; i < N; i++) mine[i] = i % 11 + (step % 2 ? t : 0);
                #pragma omp target device(d) map(tofrom: mine[0:N])
                for (int i = 0; i < N; i++) mine[i] += i % 3;
                for (int i = 0; i < N; i++) bad += mine[i] != i % 11 + (step % 2 ? t : 0) + i % 3;
            }
            free(mine);
        }
        wrong += bad;
    }
    printf("%s: %d wrong\n", what, wrong);
    return wrong != 0;
}
