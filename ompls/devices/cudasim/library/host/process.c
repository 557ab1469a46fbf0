/* process.c -- the device process of a simulated device: starting it, commands, what its end means, stopping it.

   It is a process of its own, but not the program's child: a program that waits for all its children must not wait for
   the device (process.cpp says how it gets away and how it knows when the program ends).

   No descriptor outlives the call that made it: a program may close all of them, as daemons do, and the number is that of a
   file of its own then.  What is shared with the device process stays mapped. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

/* --- talking to the process --------------------------------------------------------------------------------------- */

static uint32_t load(const uint32_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void futex_wake(uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* What kernels have printed, in the order of the program's own output. */
static void drain(sim_control *control) {
    uint32_t from = control->drained, to = load(&control->written);
    if (from == to) return;
    while (from != to) {
        uint32_t at = from % sizeof control->output, part = (uint32_t)sizeof control->output - at;
        if (part > to - from) part = to - from;
        fwrite(control->output + at, 1, part, stdout);
        from += part;
    }
    __atomic_store_n(&control->drained, from, __ATOMIC_RELEASE);
    futex_wake(&control->drained);
}

/* It will not answer: the device is lost.  A command that it has not begun with has done nothing. */
static int lose(sim_device *d, uint32_t wanted, bool stopped, ompls_error *err) {
    bool idle = load(&d->control->taken) != wanted && ompls_process_ended(&d->process);
    sim_drop_image(d);
    d->lost = idle ? OMPLS_LOST_IDLE : OMPLS_LOST_BEFORE;
    err->fatal = idle ? OMPLS_LOST_IDLE : OMPLS_LOST_NOW;
    drain(d->control);
    if (stopped) return ompls_device_fail(err, "see who sends signals to it", "the device process was stopped by a signal and did not go on; it has been ended");
    return ompls_device_fail(err, "see who sends signals to it, or use less memory",
                    "the device process was killed: by a signal, or by the kernel when memory was short");
}

/* Wait until the process has answered the request; 1 when it ended instead, or was stopped and is not continued.  A kernel may
   take as long as it likes. */
static int await(sim_device *d, uint32_t wanted, ompls_error *err) {
    sim_control *control = d->control;
    for (int spin = 0, stopped = 0; load(&control->reply) != wanted;) {
        uint32_t event = load(&control->event);
        drain(control);
        if (load(&control->reply) == wanted) break;
        if (++spin < 100) {
            sched_yield();
            continue;
        }
        struct timespec limit = {.tv_nsec = 20000000};
        if (syscall(SYS_futex, &control->event, FUTEX_WAIT, event, &limit, NULL, 0) == 0 || errno != ETIMEDOUT) continue;
        const ompls_process_state state = ompls_see_process(&d->process, &stopped);
        if (state == OMPLS_RUNS || load(&control->reply) == wanted) continue;
        if (state == OMPLS_ENDED && control->status == SIM_FAILED) break; /* it said why before it got the command */
        if (state == OMPLS_STOPPED) sim_stop(d);
        return lose(d, wanted, state == OMPLS_STOPPED, err);
    }
    drain(control);
    return 0;
}

/* --- files that have no name ---------------------------------------------------------------------------------------- */

/* Closed on exec, at 10 or higher: what a new process finds at 3 and behind is put there.  Negative: see errno. */
static int make_file(const char *name) {
    int low = memfd_create(name, MFD_CLOEXEC), file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 10), why = errno;
    if (low >= 0) close(low);
    errno = why;
    return file;
}

static int image_file(const sim_device *d) {
    int file = make_file("ompls-cudasim-image");
    for (uint64_t done = 0; file >= 0 && done < d->image_size;) {
        ssize_t now = write(file, d->image + done, d->image_size - done);
        if (now > 0) done += (uint64_t)now;
        if (now > 0 || (now < 0 && errno == EINTR)) continue;
        close(file);
        return -1;
    }
    return file;
}

/* Memory that can be given to another process, at the address `at`, which is replaced, or anywhere. */
static int shared_memory(const char *name, uint64_t size, void *at, void **mapping) {
    int file = make_file(name);
    if (file < 0) return -1;
    *mapping = MAP_FAILED;
    if (ftruncate(file, (off_t)size) == 0)
        *mapping = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | (at != NULL ? MAP_FIXED : 0), file, 0);
    if (*mapping != MAP_FAILED) return file;
    int why = errno;
    close(file);
    errno = why;
    return -1;
}

/* Where a program counter of the image is, as the user's file and line.  Cold: the kernel has failed. */
uint32_t sim_find_line(const sim_device *d, uint64_t pc, char *where, size_t size) {
    char command[128], line[512];
    uint32_t found = 0;
    int image = image_file(d);
    snprintf(command, sizeof command, "addr2line -i -e /proc/%d/fd/%d %#llx 2>/dev/null", (int)getpid(), image, (unsigned long long)pc);
    FILE *answer = image < 0 ? NULL : popen(command, "r");
    while (answer != NULL && fgets(line, sizeof line, answer) != NULL) {
        char *colon = strrchr(line, ':'), *slash = strrchr(line, '/');
        const char *file = slash != NULL ? slash + 1 : line; /* before it, where the image was built */
        /* The innermost line that is the user's: not the library's, not of a generated file. */
        if (found != 0 || colon == NULL || strncmp(file, "ompls_", 6) == 0 || strncmp(file, "prelude.h", 9) == 0 || strncmp(file, "engine.", 7) == 0) continue;
        *colon = '\0';
        found = (uint32_t)strtoul(colon + 1, NULL, 10);
        if (found != 0) snprintf(where, size, "%.100s", file);
    }
    if (answer != NULL) pclose(answer);
    if (image >= 0) close(image);
    return found;
}

static int failed(sim_device *d, ompls_error *err) {
    const sim_control *control = d->control;
    d->lost = OMPLS_LOST_BEFORE;
    err->fatal = OMPLS_LOST_NOW;
    err->fault = control->fault;
    err->fault_address = control->fault_address;
    /* One before a return address, which may be the next line's. */
    if (control->pc != 0)
        err->fault_line = sim_find_line(d, control->fault ? control->pc : control->pc - 1, err->fault_file, sizeof err->fault_file);
    sim_drop_image(d);
    const char *hint = control->fault ? "map what the kernel uses" : "see the kernel";
    if (err->fault_line == 0) return ompls_device_fail(err, hint, "%s", control->reason);
    return ompls_device_fail(err, hint, "%s (at %.60s:%u)", control->reason, err->fault_file, err->fault_line);
}

/* Send the command that has been written into the page.  With `commands` held. */
int sim_send(sim_device *d, uint32_t command, ompls_error *err) {
    sim_control *control = d->control;
    if (d->lost != 0) return err->fatal = d->lost, ompls_device_fail(err, "start the program again", "the device process has ended");
    control->command = command;
    uint32_t wanted = load(&control->request) + 1;
    __atomic_store_n(&control->request, wanted, __ATOMIC_RELEASE);
    futex_wake(&control->request);
    if (await(d, wanted, err) != 0) return 1;
    if (control->status == SIM_OK) return 0;
    if (control->status == SIM_REFUSED) return ompls_device_fail(err, "see the limits of compute capability 5.3", "%s", control->reason);
    return failed(d, err);
}

/* --- starting and stopping --------------------------------------------------------------------------------------- */

enum { IMAGE, CONTROL, ARENA, STATES, FILES }; /* all but the image are found at 2 + their number */

static bool open_files(sim_device *d, int *files) {
    void *control, *arena, *states;
    if ((files[IMAGE] = image_file(d)) < 0) return false;
    if ((files[CONTROL] = shared_memory("ompls-cudasim-control", sizeof(sim_control), NULL, &control)) < 0) return false;
    d->control = control;
    if ((files[ARENA] = shared_memory("ompls-cudasim-arena", d->bytes, d->arena, &arena)) < 0) return false;
    if (!d->checked) return true;
    if ((files[STATES] = shared_memory("ompls-cudasim-states", d->bytes, NULL, &states)) < 0) return false;
    d->states = states;
    return true;
}

/* The first process makes the second, says its number in the page and ends: that one is waited for, whoever reaps it. */
static int spawn(sim_device *d, const int *files, char *const *argv) {
    char path[64], named[PATH_MAX];
    pid_t first = -1;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    extern char **environ;
    snprintf(path, sizeof path, "/proc/self/fd/%d", files[IMAGE]);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    for (int i = CONTROL; i < FILES; i++)
        if (files[i] >= 0) posix_spawn_file_actions_adddup2(&actions, files[i], 2 + i);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failed = ENOENT;
    if (sim_image_path(d, named, sizeof named)) failed = posix_spawn(&first, named, &actions, &attributes, argv, environ);
    if (failed != 0) sim_drop_image(d); /* where it lies nothing may be executed, say */
    if (failed != 0) failed = posix_spawn(&first, path, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return failed;
    if ((failed = ompls_await_child(first)) != 0) return failed;
    ompls_note_process(&d->process, (pid_t)load(&d->control->process));
    return d->process.number != 0 ? 0 : d->control->failed != 0 ? d->control->failed : ECHILD;
}

int sim_start(sim_device *d, ompls_error *err) {
    char numbers[3][24], *argv[] = {"ompls-cudasim", numbers[0], numbers[1], numbers[2], NULL};
    int files[FILES] = {-1, -1, -1, -1};
    snprintf(numbers[0], sizeof numbers[0], "%d", (int)getpid());
    snprintf(numbers[1], sizeof numbers[1], "%d", d->index);
    snprintf(numbers[2], sizeof numbers[2], "%llu", (unsigned long long)d->bytes);
    int failed = open_files(d, files) ? 0 : errno;
    if (failed == 0 && d->debugged) sim_keep_image(d);
    if (failed == 0) failed = spawn(d, files, argv);
    for (int i = 0; i < FILES; i++)
        if (files[i] >= 0) close(files[i]);
    if (failed != 0)
        return ompls_device_fail(err, "look at the limits on processes, memory and open files, and at sysctl vm.memfd_noexec",
                        "starting the device process: %s", ompls_start_error(failed));
    d->owner = getpid();
    pthread_mutex_lock(&d->commands);
    int status = sim_send(d, SIM_NOTHING, err); /* answered once it listens */
    pthread_mutex_unlock(&d->commands);
    return status;
}

/* A debugger stops where one of its processes ends: the program itself shall be the first. */
static bool is_traced(void) {
    char line[256];
    int tracer = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status != NULL && tracer == 0 && fgets(line, sizeof line, status) != NULL) sscanf(line, "TracerPid: %d", &tracer);
    if (status != NULL) fclose(status);
    return tracer != 0;
}

void sim_stop(sim_device *d) {
    if (d->debugged && is_traced()) return; /* it ends with the program */
    /* It ends by itself when the program does, but nothing shall be left when the program has ended. */
    const struct timespec moment = {.tv_nsec = 500000};
    for (int tries = 0; tries < 4000 && !ompls_process_ended(&d->process); tries++) {
        if (tries == 0) kill(d->process.number, SIGKILL);
        nanosleep(&moment, NULL);
    }
    sim_drop_image(d);
}
