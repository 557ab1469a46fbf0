/* watched.c -- whether a process that is not the program's child is still there.

   Its number alone does not tell: a process that has ended keeps it until its parent asks, and it may be used again.  A pidfd would tell, but no
   descriptor of ours may outlive a call: a program may close all that it finds, as daemons do. */
#define _GNU_SOURCE
#include "watched.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNKNOWN UINT64_MAX

enum { PATIENCE = 50, STEP = 20000000 /* ns */ };

/* When the process was started, in the kernel's clock ticks; 0 when it has ended (a zombie has), UNKNOWN when nobody says:
   the program may have used up its descriptors.  `state` as ps shows it. */
static uint64_t started(pid_t process, char *state) {
    char path[40], line[1024];
    unsigned long long ticks = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, line, sizeof line - 1);
    int why = errno;
    if (file >= 0) close(file);
    if (length < 0) return (why == ENOENT || why == ESRCH) && kill(process, 0) != 0 && errno == ESRCH ? 0 : UNKNOWN;
    line[length] = '\0';
    const char *after = strrchr(line, ')'); /* the name before it may hold anything */
    if (after == NULL || after[1] != ' ' || after[2] == 'Z' || after[2] == 'X') return 0;
    *state = after[2];
    /* The 22nd field, the state being the 3rd (proc(5)). */
    sscanf(after + 2, "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &ticks);
    return ticks + 1;
}

static bool ended(const ompls_watched *of, char *state) {
    const uint64_t now = of->born == 0 ? 0 : started(of->number, state);
    if (now == UNKNOWN) return kill(of->number, 0) != 0 && errno == ESRCH;
    return now == 0 || (of->born != UNKNOWN && now != of->born);
}

int ompls_await_child(pid_t child) {
    int status;
    pid_t got;
    while ((got = waitpid(child, &status, WUNTRACED)) < 0 && errno == EINTR) continue;
    for (int i = 0; got == child && WIFSTOPPED(status) && i < PATIENCE; i++) {
        nanosleep(&(struct timespec){.tv_nsec = STEP}, NULL);
        if (waitpid(child, &status, WNOHANG) != 0) break;
    }
    if (got == child && WIFSTOPPED(status)) kill(child, SIGKILL), waitpid(child, &status, 0);
    return got == child && WIFSIGNALED(status) ? ECHILD : 0; /* the program may have waited for it itself */
}

const char *ompls_start_error(int failed) {
    return failed == ECHILD ? "a signal has ended or stopped it" : strerror(failed);
}

void ompls_note_process(ompls_watched *of, pid_t process) {
    char state;
    *of = (ompls_watched){.number = process, .born = started(process, &state)};
}

bool ompls_process_ended(const ompls_watched *of) {
    char state;
    return ended(of, &state);
}

ompls_process_state ompls_see_process(const ompls_watched *of, int *stopped) {
    char state = 0;
    if (ended(of, &state)) return OMPLS_ENDED;
    *stopped = state == 'T' ? *stopped + 1 : 0;
    return *stopped < PATIENCE ? OMPLS_RUNS : OMPLS_STOPPED;
}
