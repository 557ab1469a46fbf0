/* A process of the emulated board gets a signal: WHO (board, core) SIGNAL PHASE DELAY.  In phase `start` it is sent so many microseconds
   after that process is there.  The program is the subreaper of its board, as `ompls run` is: who has ended stays a zombie. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int stop, began, data[4096], number;
static _Atomic bool over;
static const char *who, *phase;

static size_t said(int process, const char *what, char *out, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, what);
    FILE *file = fopen(path, "r");
    const size_t got = file != NULL ? fread(out, 1, size - 1, file) : 0;
    out[got] = '\0';
    if (file != NULL) fclose(file);
    return got;
}

/* The board's processes and its cores are called so, with this program's number. */
static bool is_of_board(int process) {
    char words[128], wanted[64];
    const size_t got = said(process, "cmdline", words, sizeof words);
    const int length = snprintf(wanted, sizeof wanted, "ompls-epiphany%c%d", '\0', (int)getpid()) + 1;
    return got == (size_t)length && memcmp(words, wanted, got) == 0;
}

static int parent_of(int process) {
    char line[512];
    int parent = 0;
    if (said(process, "stat", line, sizeof line) != 0) sscanf(strrchr(line, ')'), ") %*c %d", &parent);
    return parent;
}

static int find(bool core) {
    int found = 0;
    DIR *all = opendir("/proc");
    for (struct dirent *e; (e = readdir(all)) != NULL;) {
        const int process = atoi(e->d_name);
        if (process != 0 && is_of_board(process) && is_of_board(parent_of(process)) == core) found = process;
    }
    closedir(all);
    return found;
}

static void hit(void) {
    const int process = find(who[0] == 'c');
    if (process != 0) kill(process, number);
}

static void *hit_soon(void *delay) {
    while (find(who[0] == 'c') == 0 && !over) continue;
    usleep((useconds_t)atoi(delay));
    hit();
    return NULL;
}

static bool now(const char *wanted) {
    return strcmp(phase, wanted) == 0;
}

int main(int argc, char **argv) {
    pthread_t other;
    int sum = 0;
    if (argc != 5) return 2;
    who = argv[1], number = atoi(argv[2]), phase = argv[3];
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (now("start")) pthread_create(&other, NULL, hit_soon, argv[4]);
#pragma omp target enter data map(to : stop, began, data)
    if (now("connect")) hit();
#pragma omp target map(stop, began) nowait
#pragma omp parallel num_threads(16)
    for (int last = 0; last == 0;) {
#pragma omp masked
        began = 1;
#pragma omp atomic read
        last = stop;
#pragma omp taskyield
    }
    do {
#pragma omp target update from(began)
    } while (began == 0);
    if (now("compute")) {
        hit();
        pause(); /* the kernel has no end */
    }
    stop = 1;
#pragma omp target update to(stop)
#pragma omp taskwait
    for (int i = 0; i < 20; i++) {
        if (now("copy") && i == 10) hit();
#pragma omp target update to(data)
#pragma omp target parallel for reduction(+ : sum) map(tofrom : sum)
        for (int k = 0; k < 64; k++) sum += data[k] + 1;
#pragma omp target update from(data)
    }
    if (now("end")) hit();
#pragma omp target exit data map(release : stop, began, data)
    over = true;
    if (now("start")) pthread_join(other, NULL);
    return sum == 20 * 64 ? 0 : 1;
}
