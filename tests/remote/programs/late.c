/* Threads that use devices while the program ends: they copy there, back, between devices, and allocate; or one waits for a kernel
   that never ends (`late endless`), or for one that takes longer than two devices need to part (`late slowly`). */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 200000, THREADS = 6 };

static char here[THREADS][SIZE], *there[THREADS][2];
static pthread_barrier_t begun;

static void *use(void *given)
{
    long t = (long)given;
    int host = omp_get_initial_device(), last = omp_get_num_devices() - 1;
    char *one = there[t][0], *other = there[t][1];
    for (long i = 0;; i++) {
        size_t size = i % 3 == 0 ? SIZE : 100;
        if (t == 0) omp_target_memcpy(one, here[t], size, 0, 0, 0, host);
        if (t == 1) omp_target_memcpy(here[t], one, size, 0, 0, host, 0);
        if (t == 2) omp_target_memcpy(other, one, size, 0, 0, last, 0);
        if (t == 3) omp_target_memcpy(one, other, size, 0, 0, 0, last);
        if (t == 4) omp_target_free(omp_target_alloc(size, last), last);
        if (t == 5) {
            #pragma omp target map(tofrom: here[5])
            for (int k = 0; k < SIZE; k++) here[5][k]++;
        }
        if (i == 1) pthread_barrier_wait(&begun);
    }
    return NULL;
}

static void *wait_for_ever(void *given)
{
    volatile int on = 1;
    (void)given;
    #pragma omp target
    ;
    pthread_barrier_wait(&begun);
    #pragma omp target map(on)
    while (on) ;
    return NULL;
}

static void *wait_for_a_while(void *given)
{
    int last = omp_get_num_devices() - 1;
    (void)given;
    omp_target_memcpy(there[0][1], there[0][0], SIZE, 0, 0, last, 0);
    #pragma omp target device(last)
    ;
    pthread_barrier_wait(&begun);
    #pragma omp target device(last)
    for (double end = omp_get_wtime() + 4.5; omp_get_wtime() < end;) ;
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? 1 : THREADS, slowly = argc > 1 && strcmp(argv[1], "slowly") == 0;
    void *(*work)(void *) = argc == 1 ? use : slowly ? wait_for_a_while : wait_for_ever;
    pthread_t thread;
    pthread_barrier_init(&begun, NULL, (unsigned)threads + 1);
    for (long t = 0; t < threads; t++) {
        there[t][0] = omp_target_alloc(SIZE, 0);
        there[t][1] = omp_target_alloc(SIZE, omp_get_num_devices() - 1);
        if (pthread_create(&thread, NULL, work, (void *)t) != 0) return 1;
    }
    pthread_barrier_wait(&begun);
    if (slowly) usleep(300000);
    puts("ending");
    return 9;
}
