/* cudasim.c -- the device `cudasim`: starts the image, an executable, as the device process and drives it.

   protocol.h in device_lib/cudasim says what the two share.  The arena (the device's memory) is mapped here at some
   address and in the process at the device's own, so a copy is a memcpy.  All functions may be called from several
   threads; commands to the process go one at a time. */
#define _GNU_SOURCE
#include "../core/device.h"
#include "../device_lib/cudasim/protocol.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
enum { PAGE = 4096, ALIGNMENT = 256 /* what cudaMalloc promises */ };

/* A range of the arena, in order of address.  Allocations are followed by at least one page that nothing may touch. */
typedef struct block {
    struct block *next;
    uint64_t offset, size; /* whole pages, the guard included */
    uint64_t start, asked; /* of the allocation: it ends where its pages end, so that a step beyond is a fault */
    bool used;
} block;

typedef struct {
    int index;
    int arena_fd, control_fd, image_fd;
    char *arena; /* the host's own mapping */
    uint64_t bytes, in_use;
    uint64_t base; /* the device's address of the arena */
    pthread_mutex_t memory, commands;
    block *blocks;
    sim_control *control;
    const unsigned char *image; /* the embedded bytes: symbols are looked up here */
    uint64_t image_size;
    pid_t process, owner;
    bool dead;
} device;

typedef struct {
    const char *name;
    uint64_t entry; /* of its sim_kernel, in the process */
    uint32_t static_shared;
} kernel;

static int fail(ompls_error *err, const char *hint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->reason, sizeof err->reason, format, arguments);
    va_end(arguments);
    snprintf(err->hint, sizeof err->hint, "%s", hint);
    return 1;
}

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

/* True when the process has ended; it is then no longer a zombie. */
static bool process_ended(device *d, int *status) {
    pid_t got = waitpid(d->process, status, WNOHANG);
    if (got == d->process) return true;
    /* The program may have waited for all its children, or ignore SIGCHLD: then it is not ours to wait for. */
    if (got < 0 && errno == ECHILD) {
        *status = 0;
        return kill(d->process, 0) != 0 && errno == ESRCH;
    }
    return false;
}

/* Wait until the process has answered the request; 1 when it ended instead. */
static int await(device *d, uint32_t wanted, ompls_error *err) {
    sim_control *control = d->control;
    for (int spin = 0; load(&control->reply) != wanted;) {
        uint32_t event = load(&control->event);
        drain(control);
        if (load(&control->reply) == wanted) break;
        if (++spin < 100) {
            sched_yield();
            continue;
        }
        struct timespec limit = {.tv_nsec = 20000000};
        if (syscall(SYS_futex, &control->event, FUTEX_WAIT, event, &limit, NULL, 0) == 0 || errno != ETIMEDOUT) continue;
        int status;
        if (!process_ended(d, &status) || load(&control->reply) == wanted) continue;
        d->dead = true;
        err->fatal = 1;
        drain(control);
        if (WIFSIGNALED(status))
            return fail(err, "see who sent the signal (kill, or the kernel when memory is short)",
                        "the device process ended: signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
        return fail(err, "see who ended it", "the device process ended: exit status %d", WEXITSTATUS(status));
    }
    drain(control);
    return 0;
}

/* Where a program counter of the image is, as the user's file and line.  Cold: the kernel has failed. */
static uint32_t find_line(device *d, uint64_t pc, char *where, size_t size) {
    char command[128], line[512];
    uint32_t found = 0;
    where[0] = '\0';
    snprintf(command, sizeof command, "addr2line -i -e /proc/%d/fd/%d %#llx 2>/dev/null", (int)getpid(), d->image_fd,
             (unsigned long long)pc);
    FILE *answer = popen(command, "r");
    if (answer == NULL) return 0;
    while (fgets(line, sizeof line, answer) != NULL) {
        char *colon = strrchr(line, ':'), *slash = strrchr(line, '/');
        const char *file = slash != NULL ? slash + 1 : line; /* before it, where the image was built */
        /* The innermost line that is the user's: not the library's, not of a generated file. */
        if (found != 0 || colon == NULL || strncmp(file, "ompls_", 6) == 0 || strncmp(file, "prelude.h", 9) == 0) continue;
        *colon = '\0';
        found = (uint32_t)strtoul(colon + 1, NULL, 10);
        if (found != 0) snprintf(where, size, "%.200s:%u", file, found);
    }
    pclose(answer);
    return found;
}

static int failed(device *d, ompls_error *err) {
    sim_control *control = d->control;
    char where[256] = "";
    /* One before a return address, which may be the next line's. */
    uint32_t line = control->pc != 0 ? find_line(d, control->fault ? control->pc : control->pc - 1, where, sizeof where) : 0;
    int status;
    d->dead = true;
    while (waitpid(d->process, &status, 0) < 0 && errno == EINTR) continue;
    err->fatal = 1;
    err->fault = control->fault;
    err->fault_address = control->fault_address;
    err->fault_line = line;
    const char *hint = control->fault ? "map what the kernel uses" : "see the kernel";
    return where[0] != '\0' ? fail(err, hint, "%s (at %s)", control->reason, where) : fail(err, hint, "%s", control->reason);
}

/* Send the command that has been written into the page.  With `commands` held. */
static int send(device *d, uint32_t command, ompls_error *err) {
    sim_control *control = d->control;
    if (d->dead) return err->fatal = 1, fail(err, "start the program again", "the device process has ended");
    control->command = command;
    uint32_t wanted = load(&control->request) + 1;
    __atomic_store_n(&control->request, wanted, __ATOMIC_RELEASE);
    futex_wake(&control->request);
    if (await(d, wanted, err) != 0) return 1;
    if (control->status == SIM_OK) return 0;
    if (control->status == SIM_REFUSED) return fail(err, "see the limits of compute capability 5.3", "%s", control->reason);
    return failed(d, err);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Tell the process which pages may be touched.  It learns with the next command; before it is started, by open_memory. */
static int note(device *d, const block *b, bool accessible, ompls_error *err) {
    int status = 0;
    if (d->process == 0) return 0;
    pthread_mutex_lock(&d->commands);
    sim_control *control = d->control;
    if (control->nprotections == sizeof control->protections / sizeof *control->protections) status = send(d, SIM_NOTHING, err);
    if (status == 0)
        control->protections[control->nprotections++] =
            (sim_protection){.offset = b->offset, .size = b->size - PAGE, .accessible = accessible};
    pthread_mutex_unlock(&d->commands);
    return status;
}

static uint64_t round_up(uint64_t value, uint64_t to) {
    return (value + to - 1) / to * to;
}

static int sim_alloc(void *handle, uint64_t size, ompls_address *out, ompls_error *err) {
    device *d = handle;
    uint64_t asked = round_up(size == 0 ? 1 : size, ALIGNMENT), pages = round_up(asked, PAGE) + PAGE;
    block *best = NULL, *rest = NULL;
    pthread_mutex_lock(&d->memory);
    for (block *b = d->blocks; b != NULL && size <= d->bytes; b = b->next)
        if (!b->used && b->size >= pages && (best == NULL || b->size < best->size)) best = b;
    if (best != NULL && best->size > pages && (rest = malloc(sizeof *rest)) == NULL) best = NULL;
    if (best == NULL) {
        uint64_t used = d->in_use;
        pthread_mutex_unlock(&d->memory);
        return fail(err, "map less at a time, or set OMPLS_CUDASIM_MEMORY (MiB)",
                    "out of device memory: %llu bytes asked for, %llu of %llu in use", (unsigned long long)size,
                    (unsigned long long)used, (unsigned long long)d->bytes);
    }
    if (rest != NULL) {
        *rest = (block){.next = best->next, .offset = best->offset + pages, .size = best->size - pages};
        best->next = rest;
        best->size = pages;
    }
    best->used = true;
    best->asked = size;
    best->start = best->offset + best->size - PAGE - asked;
    d->in_use += best->size;
    *out = d->base + best->start;
    int status = note(d, best, true, err);
    pthread_mutex_unlock(&d->memory);
    return status;
}

static int sim_free(void *handle, ompls_address address, ompls_error *err) {
    enum { WORTH_GIVING_BACK = 16 << 20 };
    device *d = handle;
    pthread_mutex_lock(&d->memory);
    block *before = NULL, *b = d->blocks;
    while (b != NULL && (!b->used || d->base + b->start != address)) before = b, b = b->next;
    if (b == NULL) {
        pthread_mutex_unlock(&d->memory);
        return fail(err, "free what was allocated, once", "freeing %#llx: no allocation begins there", (unsigned long long)address);
    }
    int status = d->dead ? 0 : note(d, b, false, err);
    b->used = false;
    d->in_use -= b->size;
    if (b->size >= WORTH_GIVING_BACK)
        fallocate(d->arena_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)b->offset, (off_t)b->size);
    block *after = b->next;
    if (after != NULL && !after->used) {
        b->size += after->size;
        b->next = after->next;
        free(after);
    }
    if (before != NULL && !before->used) {
        before->size += b->size;
        before->next = b->next;
        free(b);
    }
    pthread_mutex_unlock(&d->memory);
    return status;
}

/* A newly started process may touch what is allocated already. */
static int open_memory(device *d, ompls_error *err) {
    for (block *b = d->blocks; b != NULL; b = b->next)
        if (b->used && note(d, b, true, err) != 0) return 1;
    return 0;
}

static bool in_arena(const device *d, ompls_address address, uint64_t size) {
    return address >= d->base && size <= d->bytes && address - d->base <= d->bytes - size;
}

/* Copy from or to a variable of the image: through the process, by pieces. */
static int copy_image(device *d, ompls_address address, void *to, const void *from, uint64_t size, ompls_error *err) {
    int status = 0;
    if (d->process == 0 || address < SIM_IMAGE_BASE || address + size > SIM_IMAGE_BASE + SIM_IMAGE_SIZE)
        return fail(err, "use addresses of this device", "%#llx is not an address of this device", (unsigned long long)address);
    pthread_mutex_lock(&d->commands);
    for (uint64_t done = 0; done < size && status == 0;) {
        uint64_t part = size - done < sizeof d->control->staging ? size - done : sizeof d->control->staging;
        d->control->address = address + done;
        d->control->length = part;
        if (from != NULL) memcpy(d->control->staging, (const char *)from + done, part);
        status = send(d, from != NULL ? SIM_WRITE : SIM_READ, err);
        if (to != NULL && status == 0) memcpy((char *)to + done, d->control->staging, part);
        done += part;
    }
    pthread_mutex_unlock(&d->commands);
    return status;
}

static int sim_copy_in(void *handle, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    device *d = handle;
    if (!in_arena(d, to, size)) return copy_image(d, to, NULL, from, size, err);
    memcpy(d->arena + (to - d->base), from, size);
    return 0;
}

static int sim_copy_out(void *handle, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    device *d = handle;
    if (!in_arena(d, from, size)) return copy_image(d, from, to, NULL, size, err);
    memcpy(to, d->arena + (from - d->base), size);
    return 0;
}

static int sim_copy_within(void *handle, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    device *d = handle;
    if (in_arena(d, from, size) && in_arena(d, to, size)) {
        memmove(d->arena + (to - d->base), d->arena + (from - d->base), size);
        return 0;
    }
    if (in_arena(d, from, size)) return sim_copy_in(d, to, d->arena + (from - d->base), size, err);
    if (in_arena(d, to, size)) return sim_copy_out(d, d->arena + (to - d->base), from, size, err);
    return fail(err, "copy through the host", "copying between two variables of the image");
}

/* --- the process -------------------------------------------------------------------------------------------------- */

static bool write_all(int file, const char *bytes, uint64_t size) {
    while (size > 0) {
        ssize_t done = write(file, bytes, size);
        if (done < 0 && errno != EINTR) return false;
        if (done > 0) bytes += done, size -= (uint64_t)done;
    }
    return true;
}

static int start(device *d, ompls_error *err) {
    char path[64], numbers[5][24], *argv[] = {"ompls-cudasim", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    extern char **environ;
    snprintf(path, sizeof path, "/proc/self/fd/%d", d->image_fd);
    /* dup2 of a descriptor to itself would leave it close-on-exec: high numbers are safe (the image's is one, too). */
    int control = fcntl(d->control_fd, F_DUPFD_CLOEXEC, 10), arena = fcntl(d->arena_fd, F_DUPFD_CLOEXEC, 10);
    snprintf(numbers[0], sizeof numbers[0], "%d", 3);
    snprintf(numbers[1], sizeof numbers[1], "%d", 4);
    snprintf(numbers[2], sizeof numbers[2], "%d", (int)getpid());
    snprintf(numbers[3], sizeof numbers[3], "%d", d->index);
    snprintf(numbers[4], sizeof numbers[4], "%llu", (unsigned long long)d->bytes);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, control, 3);
    posix_spawn_file_actions_adddup2(&actions, arena, 4);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failed = posix_spawn(&d->process, path, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (control >= 0) close(control);
    if (arena >= 0) close(arena);
    d->owner = getpid();
    if (failed != 0) {
        d->process = 0;
        return fail(err, "look at the limits on processes and memory, and at sysctl vm.memfd_noexec",
                    "starting the device process: %s", strerror(failed));
    }
    pthread_mutex_lock(&d->commands);
    int status = send(d, SIM_NOTHING, err); /* answered once it listens */
    pthread_mutex_unlock(&d->commands);
    return status != 0 ? status : open_memory(d, err);
}

/* Value and size of a symbol of the image. */
static bool find(const device *d, const char *name, uint64_t *value) {
    const Elf64_Ehdr *elf = (const void *)d->image;
    const Elf64_Shdr *sections = (const void *)(d->image + elf->e_shoff);
    for (int i = 0; i < elf->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbols = (const void *)(d->image + sections[i].sh_offset);
        const char *names = (const char *)d->image + sections[sections[i].sh_link].sh_offset;
        for (uint64_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
            if (symbols[k].st_shndx == SHN_UNDEF || strcmp(names + symbols[k].st_name, name) != 0) continue;
            *value = symbols[k].st_value;
            return true;
        }
    }
    return false;
}

static bool looks_right(const void *image, uint64_t size) {
    const Elf64_Ehdr *elf = image;
#if defined(__aarch64__)
    const int machine = EM_AARCH64;
#else
    const int machine = EM_X86_64;
#endif
    return size > sizeof *elf && memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0 && elf->e_machine == machine &&
           elf->e_shoff + (uint64_t)elf->e_shnum * sizeof(Elf64_Shdr) <= size;
}

static int sim_load(void *handle, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    device *d = handle;
    if (d->process != 0) return fail(err, "link all target regions into one program", "cudasim holds one image per program");
    if (!looks_right(image, size)) return fail(err, "build the program again on this machine", "the image is not an executable of this machine");
    int file = memfd_create("ompls-cudasim-image", MFD_CLOEXEC);
    if (file >= 0) {
        d->image_fd = fcntl(file, F_DUPFD_CLOEXEC, 10);
        close(file);
    }
    if (d->image_fd < 0 || !write_all(d->image_fd, image, size))
        return fail(err, "check the limits on memory and open files", "copying the image: %s", strerror(errno));
    d->image = image;
    d->image_size = size;
    *loaded = d;
    if (start(d, err) != 0) return 1;
    uint64_t number;
    return find(d, "ompls_image_device_number", &number) ? copy_image(d, number, NULL, &d->index, sizeof d->index, err) : 0;
}

static int sim_find_kernel(void *handle, void *loaded, const char *name, void **out, ompls_error *err) {
    device *d = handle;
    char symbol[512];
    uint64_t entry, shared = 0;
    (void)loaded;
    snprintf(symbol, sizeof symbol, "ompls_sim_kernel_%s", name);
    if (!find(d, symbol, &entry)) return fail(err, "build the program again for `cudasim`", "kernel %s is not in the image", name);
    snprintf(symbol, sizeof symbol, "ompls_sim_shared_%s", name);
    find(d, symbol, &shared);
    kernel *k = malloc(sizeof *k); /* for the life of the program, as the region that asks */
    if (k == NULL) return fail(err, "close other programs", "out of memory");
    *k = (kernel){.name = name, .entry = entry, .static_shared = (uint32_t)shared};
    *out = k;
    return 0;
}

static int sim_find_symbol(void *handle, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    (void)loaded;
    return find(handle, name, out) ? 0 : fail(err, "build the program again for `cudasim`", "%s is not in the image", name);
}

/* --- launching ---------------------------------------------------------------------------------------------------- */

/* The CUDA programming guide's limits for compute capability 5.3: a launch that a GPU refuses is refused here. */
static int check(const kernel *k, const ompls_launch_request *request, ompls_error *err) {
    const char *hint = "see the limits of compute capability 5.3";
    const uint32_t *grid = request->grid, *block = request->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads == 0 || threads > SIM_MAX_THREADS || block[2] > SIM_MAX_BLOCK_Z)
        return fail(err, hint, "a block of %u x %u x %u threads: 1 to %d are possible, and at most %d in z", block[0], block[1],
                    block[2], SIM_MAX_THREADS, SIM_MAX_BLOCK_Z);
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[0] > INT_MAX || grid[1] > 65535 || grid[2] > 65535)
        return fail(err, hint, "a grid of %u x %u x %u blocks: 1 to %d x 65535 x 65535 are possible", grid[0], grid[1], grid[2], INT_MAX);
    if ((uint64_t)request->shared_bytes + k->static_shared > SIM_MAX_SHARED)
        return fail(err, hint, "%u bytes of shared memory (%u of them static): %d are possible", request->shared_bytes + k->static_shared,
                    k->static_shared, SIM_MAX_SHARED);
    return 0;
}

static int sim_launch(void *handle, void *found, const ompls_launch_request *request, ompls_error *err) {
    device *d = handle;
    const kernel *k = found;
    if (check(k, request, err) != 0) return 1;
    if (request->nparams > SIM_MAX_PARAMS) return fail(err, "use fewer variables", "%u parameters", request->nparams);
    pthread_mutex_lock(&d->commands);
    sim_control *control = d->control;
    uint64_t used = 0;
    for (uint32_t i = 0; i < request->nparams; i++) {
        used = round_up(used, request->sizes[i] >= 16 ? 16 : 8);
        if (used + request->sizes[i] > sizeof control->params) {
            pthread_mutex_unlock(&d->commands);
            return fail(err, "map large variables instead of passing them by value", "more than %d bytes of parameters", SIM_MAX_PARAM_BYTES);
        }
        control->offsets[i] = (uint32_t)used;
        control->sizes[i] = (uint32_t)request->sizes[i];
        memcpy(control->params + used, request->params[i], request->sizes[i]);
        used += request->sizes[i];
    }
    control->nparams = request->nparams;
    control->kernel = k->entry;
    memcpy(control->grid, request->grid, sizeof control->grid);
    memcpy(control->block, request->block, sizeof control->block);
    control->dynamic_shared = request->shared_bytes;
    control->static_shared = k->static_shared;
    int status = send(d, SIM_LAUNCH, err);
    pthread_mutex_unlock(&d->commands);
    return status;
}

/* A launch returns when the kernel has ended. */
static int sim_synchronize(void *handle, ompls_error *err) {
    device *d = handle;
    return d->dead ? (err->fatal = 1, fail(err, "start the program again", "the device process has ended")) : 0;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static int sim_probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)self;
    if (wanted > SIM_MAX_DEVICES) {
        fail(err, "ask for fewer", "%d devices: at most %d are simulated", wanted, SIM_MAX_DEVICES);
        return 0;
    }
    return wanted > 0 ? wanted : 1;
}

static uint64_t memory_size(void) {
    const char *asked = getenv("OMPLS_CUDASIM_MEMORY");
    uint64_t mebibytes = asked != NULL ? strtoull(asked, NULL, 10) : 0;
    uint64_t bytes = mebibytes != 0 ? mebibytes << 20 : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    return round_up(bytes < SIM_ARENA_STRIDE ? bytes : SIM_ARENA_STRIDE, 65536);
}

/* Nothing of the program shall lie where something of a device may; ranges that are taken already are left alone. */
static void reserve(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    const struct {
        uint64_t start, size;
    } ranges[] = {{SIM_IMAGE_BASE, SIM_IMAGE_SIZE},
                  {SIM_ARENA_BASE, SIM_MAX_DEVICES * SIM_ARENA_STRIDE},
                  {SIM_INTERNAL_BASE, SIM_INTERNAL_SIZE + (1 << 20)}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        void *wanted = (void *)(uintptr_t)ranges[i].start, *got = mmap(wanted, ranges[i].size, PROT_NONE, flags, -1, 0);
        if (got != MAP_FAILED && got != wanted) munmap(got, ranges[i].size); /* before Linux 4.17 */
    }
}

static int shared_memory(const char *name, uint64_t size, int *file, void **mapping) {
    *file = memfd_create(name, MFD_CLOEXEC);
    if (*file < 0 || ftruncate(*file, (off_t)size) != 0) return 1;
    *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *file, 0);
    return *mapping == MAP_FAILED;
}

static void sim_close(void *handle);

static int sim_open(ompls_module *self, int index, void **out, ompls_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)self;
    pthread_once(&once, reserve);
    device *d = calloc(1, sizeof *d);
    block *all = calloc(1, sizeof *all);
    if (d == NULL || all == NULL) {
        free(d), free(all);
        return fail(err, "close other programs", "out of memory");
    }
    *d = (device){.index = index, .arena_fd = -1, .control_fd = -1, .image_fd = -1, .bytes = memory_size(), .blocks = all};
    d->base = SIM_ARENA_BASE + (uint64_t)index * SIM_ARENA_STRIDE;
    *all = (block){.offset = PAGE, .size = d->bytes - PAGE};
    pthread_mutex_init(&d->memory, NULL);
    pthread_mutex_init(&d->commands, NULL);
    void *arena = NULL, *control = NULL;
    if (shared_memory("ompls-cudasim-arena", d->bytes, &d->arena_fd, &arena) != 0 ||
        shared_memory("ompls-cudasim-control", sizeof(sim_control), &d->control_fd, &control) != 0) {
        fail(err, "check the limits on memory and open files", "making the device's memory of %llu bytes: %s",
             (unsigned long long)d->bytes, strerror(errno));
        d->arena = arena == MAP_FAILED ? NULL : arena;
        sim_close(d);
        return 1;
    }
    d->arena = arena;
    d->control = control;
    *out = d;
    return 0;
}

static void sim_close(void *handle) {
    device *d = handle;
    /* A process that forked after opening must leave the device to its parent. */
    if (d->process != 0 && !d->dead && d->owner == getpid()) {
        int status;
        kill(d->process, SIGKILL);
        while (waitpid(d->process, &status, 0) < 0 && errno == EINTR) continue;
    }
    for (block *b = d->blocks, *next; b != NULL; b = next) next = b->next, free(b);
    if (d->arena != NULL) munmap(d->arena, d->bytes);
    if (d->control != NULL) munmap(d->control, sizeof *d->control);
    if (d->arena_fd >= 0) close(d->arena_fd);
    if (d->control_fd >= 0) close(d->control_fd);
    if (d->image_fd >= 0) close(d->image_fd);
    pthread_mutex_destroy(&d->memory);
    pthread_mutex_destroy(&d->commands);
    free(d);
}

static int sim_properties(void *handle, ompls_properties *out, ompls_error *err) {
    device *d = handle;
    (void)err;
    *out = (ompls_properties){.memory = d->bytes, .max_threads = SIM_MAX_THREADS, .max_teams = INT_MAX, .default_threads = 128};
    snprintf(out->name, sizeof out->name, "CUDA on the CPU (limits of compute capability 5.3)");
    return 0;
}

static ompls_module module = {
    .abi = OMPLS_MODULE_ABI, .name = "cudasim", .image_class = "cudasim", .probe = sim_probe, .open = sim_open,
    .close = sim_close, .properties = sim_properties, .alloc = sim_alloc, .free = sim_free, .copy_in = sim_copy_in,
    .copy_out = sim_copy_out, .copy_within = sim_copy_within, .load = sim_load, .find_kernel = sim_find_kernel,
    .find_symbol = sim_find_symbol, .launch = sim_launch, .synchronize = sim_synchronize,
};

__attribute__((constructor)) static void announce(void) {
    ompls_register_module(&module);
}
