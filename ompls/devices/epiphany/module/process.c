/* process.c -- the emulated board's process: the image, run as a program that maps the board's memory. */
#define _GNU_SOURCE
#include "epiphany.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void epi_wake(volatile uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Nobody sleeps on a real board's memory: who waits there looks again. */
void epi_tell(board *b, volatile uint32_t *word) {
    if (b->hal != NULL) return;
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    epi_wake(word);
}

bool epi_pause(board *b, uint32_t now) {
    if (b->hal != NULL) return nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL), false;
    return syscall(SYS_futex, &b->control->host, FUTEX_WAIT, now, &(struct timespec){.tv_nsec = 20000000}, NULL, 0) != 0 && errno == ETIMEDOUT;
}

static int high_file(int low) {
    int file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 10), why = errno;
    if (low >= 0) close(low);
    errno = why;
    return file;
}

static int spawn(board *b, int memory) {
    extern char **environ;
    char number[24], path[64], *argv[] = {"ompls-epiphany", number, NULL};
    int image = high_file(memfd_create("ompls-epiphany-board", MFD_CLOEXEC)), failed;
    pid_t first = -1;
    if (image < 0) return errno;
    for (uint64_t done = 0; done < b->image_size;) {
        ssize_t now = write(image, b->image + done, b->image_size - done);
        if (now < 0 && errno != EINTR) return failed = errno, close(image), failed;
        if (now > 0) done += (uint64_t)now;
    }
    snprintf(number, sizeof number, "%d", (int)getpid());
    snprintf(path, sizeof path, "/proc/self/fd/%d", image);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, memory, 3);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0); /* what a terminal sends to the program is not for the board */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    failed = posix_spawn(&first, path, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(image);
    if (failed != 0) return failed;
    failed = ompls_await_child(first);
    b->group = first;
    ompls_note_process(&b->process, (pid_t)b->control->process);
    if (failed != 0) epi_end(b);
    return failed != 0 || b->process.number != 0 ? failed : b->control->failed != 0 ? b->control->failed : ECHILD;
}

/* Board and cores, also one that a signal has stopped before it could end with the board. */
void epi_end(const board *b) {
    kill(-b->group, SIGKILL);
}

/* What the chip has to know. */
static void describe(board *b) {
    const char *cancellation = getenv("OMP_CANCELLATION");
    b->control->geometry = b->geometry;
    b->control->cancellation = cancellation != NULL && strcasecmp(cancellation, "true") == 0;
}

static int begin_real(board *b, const char *library, ompls_error *err) {
    char *emulated = b->memory;
    if (epi_hal_open(b, library, err) != 0) return 1;
    munmap(emulated, WHOLE);
    describe(b);
    const uint32_t end = epi_place_cores(b);
    if (end == 0) return ompls_device_fail(err, "map large variables", "the static variables of the kernels need more than the external memory (32 MiB)");
    const uint64_t first = (end - EPI_EXTERNAL + PAGE - 1) / PAGE * PAGE;
    if (!ompls_make_blocks(&b->blocks, first, EPI_EXTERNAL_SIZE - first))
        return ompls_device_fail(err, "close other programs", "out of memory");
    b->started = true;
    b->owner = getpid();
    return 0;
}

int epi_load(void *handle, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    board *b = handle;
    const Elf32_Ehdr *elf = image;
    const char *real = getenv("OMPLS_EPIPHANY_HAL");
    b->image = image, b->image_size = size;
    *loaded = b;
    if (real != NULL) return begin_real(b, real, err);
    if (size < sizeof *elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_machine != EM_386)
        return ompls_device_fail(err, "build the program again", "the image is no program of an emulated board");
    int memory = high_file(memfd_create("ompls-epiphany-memory", MFD_CLOEXEC));
    if (memory < 0 || ftruncate(memory, WHOLE) != 0 ||
        mmap(b->memory, WHOLE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED)
        return ompls_device_fail(err, "look at the limits on memory", "making the emulated board's memory: %s", strerror(errno));
    describe(b);
    epi_place_data(b);
    uint32_t end = 0;
    epi_find(b, "epi_end", &end);
    uint64_t begin = (end - EPI_EXTERNAL + PAGE) / PAGE * PAGE;
    int failed = begin < EPI_EXTERNAL_SIZE && ompls_make_blocks(&b->blocks, begin, EPI_EXTERNAL_SIZE - begin) ? spawn(b, memory) : ENOMEM;
    close(memory);
    if (failed != 0) return ompls_device_fail(err, "look at the limits on processes, and whether this kernel runs programs of 32 bits", "starting the emulated board: %s", ompls_start_error(failed));
    b->started = true;
    b->owner = getpid();
    return 0;
}
