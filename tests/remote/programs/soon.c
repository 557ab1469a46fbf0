/* Regions with `nowait` that are sent and received later: `soon CASE` prints what it finds. */
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 100000, PATIENCE = 20000 /* ms */ };

static int x = 1, y = 1, *volatile null;
static volatile int told;

/* How many threads the program has. */
static int threads(void)
{
    int found = -2;
    DIR *list = opendir("/proc/self/task");
    while (list != NULL && readdir(list) != NULL) found++;
    closedir(list);
    return found;
}

/* One region a step: what its device has to do for it. */
static void steps(int count)
{
    int before = 0, next = 0, sum = 0;
    for (int i = -1; i < count; i++) {
        #pragma omp target nowait map(from: next) firstprivate(i)
        next = i + 1;
        #pragma omp taskwait
        sum += next;
        if (i < 0) before = threads();
    }
    printf("%d, %d more threads, %s\n", sum, threads() - before, omp_target_is_present(&next, 0) ? "present" : "gone");
}

static void *use_the_same(void *nothing)
{
    #pragma omp target map(tofrom: x)
    x = 2 * x + 1;
    return nothing;
}

/* Nobody waits for the region but who uses what it has. */
static void same_data(void)
{
    pthread_t other;
    #pragma omp target nowait map(tofrom: x)
    x = 2 * x + 1;
    #pragma omp target map(tofrom: x)
    x = 2 * x + 1;
    printf("%d ", x);
    #pragma omp target nowait map(tofrom: x)
    x = 2 * x + 1;
    if (pthread_create(&other, NULL, use_the_same, NULL) != 0) exit(2);
    pthread_join(other, NULL);
    printf("%d ", x);
    #pragma omp target nowait map(tofrom: x)
    x = 2 * x + 1;
    #pragma omp target update from(x)
    #pragma omp target enter data map(to: x)
    #pragma omp target nowait map(tofrom: x)
    x = 2 * x + 1;
    #pragma omp target exit data map(from: x)
    #pragma omp taskwait
    printf("%d %d\n", x, omp_target_is_present(&x, 0));
}

/* What depends on such a region is done although the program does not wait. */
static void chain(void)
{
    #pragma omp target nowait depend(out: x) map(tofrom: x)
    x = 2 * x + 1;
    #pragma omp target nowait depend(inout: x) map(tofrom: x)
    x = 2 * x + 1;
    #pragma omp target nowait depend(inout: x) map(tofrom: x) map(from: told)
    x = 2 * x + 1, told = 1;
    for (int i = 0; i < PATIENCE && !told; i++) usleep(1000);
    printf("%d ", told);
    #pragma omp taskwait
    #pragma omp target nowait depend(out: y) map(tofrom: y)
    y = 5 * y;
    #pragma omp task depend(in: y)
    printf("%d ", y);
    #pragma omp taskgroup
    {
        #pragma omp target nowait map(tofrom: y)
        y = 5 * y;
    }
    printf("%d %d\n", x, y);
}

/* More than are sent before one is received, and one that is too long for a message. */
static void many(void)
{
    static int out[1000], large[LARGE];
    int wrong = 0;
    for (int i = 0; i < 1000; i++) {
        #pragma omp target nowait map(from: out[i:1]) firstprivate(i)
        out[i] = i;
        if (i != 500) continue;
        #pragma omp target nowait map(from: large)
        for (int k = 0; k < LARGE; k++) large[k] = k;
    }
    #pragma omp taskwait
    for (int i = 0; i < 1000; i++) wrong += out[i] != i;
    for (int k = 0; k < LARGE; k++) wrong += large[k] != k;
    printf("%d wrong\n", wrong);
}

static void team(void)
{
    int sum = 0, of[64];
    #pragma omp parallel num_threads(4)
    #pragma omp for nowait
    for (int i = 0; i < 64; i++) {
        #pragma omp target nowait map(from: of[i:1]) firstprivate(i)
        of[i] = i;
        #pragma omp taskwait
        #pragma omp atomic
        sum += of[i];
    }
    printf("%d\n", sum);
}

/* A small update there, a region and an update back; one that is too long, of rows, and of what is not there. */
static void updates(int count)
{
    int sum = 0, of[6][4] = {0}, not_there = 7;
    #pragma omp target enter data map(to: of)
    int before = threads();
    for (int i = 0; i < count; i++) {
        of[0][1] = i + 1;
        #pragma omp target update to(of[0:1], not_there) nowait
        #pragma omp taskwait
        #pragma omp target map(of)
        of[0][1]++;
        #pragma omp target update from(of[0:1]) nowait
        #pragma omp taskwait
        sum += of[0][1];
    }
    printf("%d, %d more threads, ", sum, threads() - before);
    of[3][2] = 9;
    #pragma omp target update to(of[0:6][2:1]) nowait
    #pragma omp taskwait
    #pragma omp target exit data map(from: of)
    printf("%d %d %s\n", of[3][2], not_there, omp_target_is_present(of, 0) ? "present" : "gone");
}

int main(int argc, char **argv)
{
    const char *said = argv[1];
    (void)argc;
    if (strcmp(said, "steps") == 0) steps(atoi(argv[2]));
    if (strcmp(said, "updates") == 0) updates(atoi(argv[2]));
    if (strcmp(said, "same") == 0) same_data();
    if (strcmp(said, "chain") == 0) chain();
    if (strcmp(said, "many") == 0) many();
    if (strcmp(said, "team") == 0) team();
    if (strcmp(said, "end") == 0) {
        #pragma omp target nowait
        printf("in the kernel\n");
    }
    if (strcmp(said, "fault") == 0) {
        #pragma omp target nowait firstprivate(null)
        *null = 1;
        #pragma omp target
        ;
        #pragma omp taskwait
    }
    if (strcmp(said, "unmapped") == 0) {
        #pragma omp target nowait map(present, tofrom: x)
        x++;
        #pragma omp taskwait
    }
    return 3;
}
