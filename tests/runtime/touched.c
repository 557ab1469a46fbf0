/* Wrong addresses in the program's own process, one for each name; line numbers are the test's. */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void own(int number) { (void)number; _exit(7); }
static int *none, deep;
struct node { struct node *next; int value; };
static int *kept, shared[1000];
static void touch(void) { kept[0] = 0; }
static void leave(void) { exit(9); }
static void launch_again(void)
{
    int a = 0;
#pragma omp target map(present, tofrom : a)
    a = 5;
}
static pthread_t other;
static int ending;
static void *fail_at_the_end(void *unused)
{
    while (!__atomic_load_n(&ending, __ATOMIC_ACQUIRE)) usleep(1000);
    launch_again();
    return unused;
}
static void join(void)
{
    __atomic_store_n(&ending, 1, __ATOMIC_RELEASE);
    pthread_join(other, NULL);
    fputs("joined\n", stderr);
}
static void launch(void)
{
#pragma omp target teams distribute parallel for map(tofrom : shared)
    for (int i = 0; i < 1000; i++)
        shared[i] += 1;
}
/* Its array lies where `launch` had what it needed. */
__attribute__((noinline)) static int parse(const char *line)
{
    char words[64][256];
    int n = 0;
    while (*line)
        words[n++][0] = *line++;
    return n + words[0][0];
}

int main(int argc, char **argv)
{
    const char *name = argv[argc - 1];
    int *p = argc > 5 ? &deep : none, *q = &deep, v[4] = {1, 2, 3, 4}, r = 0, device = omp_get_default_device();
    if (strcmp(name, "handler-before") == 0) signal(SIGSEGV, own);
    int *d = omp_target_alloc(64, device);
    if (strcmp(name, "handler-after") == 0) signal(SIGSEGV, own);
    if (strcmp(name, "null") == 0) {
#pragma omp target map(tofrom : r)
        r = p[2] + q[0];
    } else if (strcmp(name, "chain") == 0) {
        struct node last = {0, 3};
#pragma omp target map(tofrom : r) map(to : last)
        r = last.next->value;
    } else if (strcmp(name, "team") == 0) {
        omp_set_num_threads(2);
#pragma omp target map(tofrom : r)
#pragma omp parallel
        if (omp_get_thread_num() == 1)
            r = p[4] + q[0];
    } else if (strcmp(name, "trap") == 0) {
#pragma omp target map(tofrom : r)
        if (q[0] == 0) __builtin_trap();
    } else if (strcmp(name, "divide") == 0) {
#pragma omp target map(tofrom : r)
        r = 7 / q[0];
    } else if (strcmp(name, "own-trap") == 0) {
        __builtin_trap();
    } else if (strcmp(name, "own-divide") == 0) {
        r = 7 / deep;
    } else if (strcmp(name, "outside") == 0) {
#pragma omp target map(tofrom : r)
        r = 1;
        r += p[3];
    } else if (strcmp(name, "stack") == 0) {
        launch();
        launch();
        r = parse((const char *)none);
    } else if (strncmp(name, "exit", 4) == 0) {
        int absent = 0;
        kept = d;
        if (strcmp(name, "exit-join") == 0) pthread_create(&other, NULL, fail_at_the_end, NULL);
        atexit(strcmp(name, "exit-touch") == 0 ? touch : strcmp(name, "exit-join") == 0 ? join : strcmp(name, "exit-again") == 0 ? leave : launch_again);
#pragma omp target map(present, tofrom : absent)
        absent = 5;
    } else if (strcmp(name, "alloc") == 0 || strncmp(name, "handler", 7) == 0) {
        d[3] = 1;
    } else if (strcmp(name, "free") == 0) {
        free(d);
    } else if (strcmp(name, "copy") == 0) {
#pragma omp target data map(to : v) use_device_addr(v)
        r = v[2];
    } else if (strcmp(name, "mapped") == 0) {
#pragma omp target map(tofrom : d[0 : 10])
        d[0] = 1;
    } else if (strcmp(name, "mapped-copy") == 0) {
#pragma omp target data map(to : v) use_device_addr(v)
        {
#pragma omp target map(to : v) map(from : r)
            r = v[0];
        }
    } else if (strcmp(name, "neighbour") == 0) {
        int n = 4608 / 2;
        double *g = calloc(n + 1, sizeof *g), *t = calloc(n + 1, sizeof *t);
#pragma omp target enter data map(to : g[0 : n], t[0 : n])
#pragma omp target map(tofrom : r)
        r = g[n] + t[0];
    }
    printf("went on %d\n", r);
    return 0;
}
