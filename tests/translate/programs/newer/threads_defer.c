/* Threads of the program's own and of a team, each with chains of deferred constructs on data of its own, and all of them
   with one table; then constructs whose items share storage. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../expect.h"

enum { THREADS = 4, ROUNDS = 12, N = 64 };
static int table[N];
static _Atomic int wrong;

static void chain(int device, int round, int *a, int *b)
{
#pragma omp target enter data map(to : a[0:N]) map(alloc : b[0:N]) device(device) nowait depend(out : a[0])
#pragma omp target map(to : table) device(device) nowait depend(inout : a[0]) depend(out : b[0])
    for (int i = 0; i < N; i++) b[i] = a[i] * 2 + table[i];
#pragma omp target map(to : table) device(device) nowait depend(inout : b[0]) firstprivate(round)
    for (int i = 0; i < N / 2; i++) b[i] += table[i] + round;
#pragma omp target update from(b[0:N]) device(device) nowait depend(in : b[0])
#pragma omp taskwait
    for (int i = 0; i < N; i++) wrong += b[i] != (i + round) * 2 + i + (i < N / 2 ? i + round : 0);
#pragma omp target exit data map(delete : a[0:N], b[0:N]) device(device) nowait depend(inout : a[0], b[0])
#pragma omp taskwait
}

static void *work(void *argument)
{
    int self = (int)(long)argument, devices = omp_get_num_devices();
    int *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
    for (int round = 0; round < ROUNDS; round++) {
        int device = devices > 0 ? (self + round) % devices : omp_get_initial_device();
        for (int i = 0; i < N; i++) a[i] = i + round, b[i] = 0;
        chain(device, round, a, b);
        wrong += devices > 0 && (omp_target_is_present(a, device) || omp_target_is_present(b, device));
    }
    free(a), free(b);
    return NULL;
}

/* One entry, named more than once. */
static void shared_storage(void)
{
    int a[N], b[N], c[N];
    for (int i = 0; i < N; i++) a[i] = i, b[i] = 2 * i, c[i] = 0;
#pragma omp target map(to : a[0:N]) map(from : a[4:4]) map(tofrom : b[0:N], c[0:N])
    for (int i = 0; i < N; i++) {
        c[i] = a[i] + b[i];
        b[i] = 7;
        if (i >= 4 && i < 8) a[i] = -1;
    }
    for (int i = 0; i < N; i++) EXPECT(c[i], 3 * i), EXPECT(b[i], 7), EXPECT(a[i], i >= 4 && i < 8 ? -1 : i);
}

/* What a deferred update of every other element needs is kept until it runs. */
static void strided(int *m)
{
    int step = 3;
#pragma omp target update to(m[0:N/2:2]) nowait depend(inout : m[0])
#pragma omp target map(alloc : m[0:N]) nowait depend(inout : m[0]) firstprivate(step)
    for (int i = 0; i < N; i++) m[i] += step;
#pragma omp target update from(m[1:N/2:2]) nowait depend(inout : m[0])
}

static void deferred_updates(void)
{
    int m[N];
    for (int i = 0; i < N; i++) m[i] = i;
#pragma omp target enter data map(to : m)
    strided(m);
#pragma omp taskwait
    for (int i = 1; i < N; i += 2) EXPECT(m[i], i + 3);
#pragma omp target exit data map(from : m)
    for (int i = 0; i < N; i++) EXPECT(m[i], i + 3);
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < N; i++) table[i] = i;
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
#pragma omp parallel num_threads(THREADS)
    work((void *)(long)omp_get_thread_num());
    EXPECT(wrong, 0);
    for (int d = 0; d < omp_get_num_devices(); d++) EXPECT(omp_target_is_present(table, d), 0);
    shared_storage();
    deferred_updates();
    return failures != 0;
}
