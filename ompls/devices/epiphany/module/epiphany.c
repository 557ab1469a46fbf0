/* epiphany.c -- the device `epiphany`: the table of device.h over an emulated board (library/board.c).

   The image is the board's program.  Program and board map the same bytes: the external memory, then the cores' own.  A kernel is
   started on an idle core; whoever waits for it gives it more cores when it asks, as many as are free, and takes them back.
   A core that fails is reset with the others of its kernel, and no other kernel notices. */
#define _GNU_SOURCE
#include "../../../runtime/core/fail.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../runtime/core/blocks.h"
#include "../library/board.h"

enum { ALIGNMENT = 64, PAGE = 4096, PATIENCE = 5 /* seconds */, WHOLE = EPI_EXTERNAL_SIZE + EPI_MOST * EPI_LOCAL };

/* The chips that a board may have; the first is that of a Parallella. */
static const struct {
    const char *name;
    epi_geometry geometry;
} chips[] = {{"16", {4, 4, 0x808, 0}}, {"64", {8, 8, 0x808, 0}}};

typedef uint64_t cores; /* a bit for each */

static cores bit(int n) {
    return (cores)1 << n;
}

typedef struct {
    char *memory; /* of the board, as this program sees it */
    epi_control *control;
    const unsigned char *image;
    uint64_t image_size;
    pthread_mutex_t lock;
    ompls_blocks blocks;
    epi_geometry geometry;
    int number;  /* of its cores */
    cores taken; /* which a kernel has */
    const ompls_launch_request *holder[EPI_MOST]; /* whose those are */
    uint32_t told; /* findings */
    bool started, lost;
    pid_t owner;
} board;

typedef struct {
    uint32_t entry, code; /* where its code would end in the memory of a core */
} kernel;

/* --- the image ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const Elf32_Sym *of;
    uint32_t number;
    const char *names;
} symbols;

static symbols symbols_of(const board *b) {
    const Elf32_Ehdr *elf = (const void *)b->image;
    const Elf32_Shdr *sections = (const void *)(b->image + elf->e_shoff);
    for (int i = 0; i < elf->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            return (symbols){(const void *)(b->image + sections[i].sh_offset), sections[i].sh_size / (uint32_t)sizeof(Elf32_Sym),
                             (const char *)b->image + sections[sections[i].sh_link].sh_offset};
    return (symbols){0};
}

static bool find(const board *b, const char *name, uint32_t *value) {
    const symbols all = symbols_of(b);
    for (uint32_t k = 0; k < all.number; k++) {
        if (all.of[k].st_shndx == SHN_UNDEF || strcmp(all.names + all.of[k].st_name, name) != 0) continue;
        *value = all.of[k].st_value;
        return true;
    }
    return false;
}

/* The name of the image's variable at an address, where there is one. */
static void find_variable(const board *b, uint32_t address, char *out, size_t size) {
    const symbols all = symbols_of(b);
    for (uint32_t k = 0; k < all.number; k++) {
        const Elf32_Sym *s = &all.of[k];
        if (ELF32_ST_TYPE(s->st_info) == STT_OBJECT && address - s->st_value < s->st_size)
            snprintf(out, size, "%.*s", (int)strcspn(all.names + s->st_name, "."), all.names + s->st_name);
    }
}

/* The variables' first values are put where both sides see them. */
static void place_data(board *b) {
    const Elf32_Ehdr *elf = (const void *)b->image;
    const Elf32_Phdr *parts = (const void *)(b->image + elf->e_phoff);
    for (int i = 0; i < elf->e_phnum; i++)
        if (parts[i].p_type == PT_LOAD && parts[i].p_vaddr >= EPI_DATA)
            memcpy(b->memory + (parts[i].p_vaddr - EPI_EXTERNAL), b->image + parts[i].p_offset, parts[i].p_filesz);
}

/* The user's file and line of a place in the image.  Cold: a kernel has failed. */
static uint32_t find_line(const board *b, uint32_t place, char *where, size_t size) {
    char command[128], line[512];
    uint32_t found = 0;
    int file = memfd_create("ompls-epiphany", MFD_CLOEXEC);
    if (file < 0 || write(file, b->image, b->image_size) != (ssize_t)b->image_size) return 0;
    snprintf(command, sizeof command, "addr2line -i -e /proc/%d/fd/%d %#x 2>/dev/null", (int)getpid(), file, place);
    FILE *answer = popen(command, "r");
    while (answer != NULL && found == 0 && fgets(line, sizeof line, answer) != NULL) {
        char *colon = strrchr(line, ':'), *slash = strrchr(line, '/');
        if (colon == NULL) continue;
        *colon = '\0';
        found = (uint32_t)strtoul(colon + 1, NULL, 10);
        snprintf(where, size, "%.100s", slash != NULL ? slash + 1 : line);
    }
    if (answer != NULL) pclose(answer);
    close(file);
    return found;
}

/* --- the board's process ------------------------------------------------------------------------------------------- */

static void wake(volatile uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
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
    int image = high_file(memfd_create("ompls-epiphany-board", MFD_CLOEXEC)), status, failed;
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
    while (waitpid(first, &status, 0) < 0 && errno == EINTR) continue;
    if (b->control->process == 0) return b->control->failed != 0 ? b->control->failed : ECHILD;
    return 0;
}

static int epi_load(void *handle, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    board *b = handle;
    const Elf32_Ehdr *elf = image;
    if (size < sizeof *elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_machine != EM_386)
        return ompls_device_fail(err, "build the program again", "the image is no program of an emulated board");
    b->image = image, b->image_size = size;
    int memory = high_file(memfd_create("ompls-epiphany-memory", MFD_CLOEXEC));
    if (memory < 0 || ftruncate(memory, WHOLE) != 0 ||
        mmap(b->memory, WHOLE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED)
        return ompls_device_fail(err, "look at the limits on memory", "making the emulated board's memory: %s", strerror(errno));
    const char *cancellation = getenv("OMP_CANCELLATION");
    b->control->geometry = b->geometry;
    b->control->cancellation = cancellation != NULL && strcasecmp(cancellation, "true") == 0;
    place_data(b);
    uint32_t end = 0;
    find(b, "epi_end", &end);
    uint64_t begin = (end - EPI_EXTERNAL + PAGE) / PAGE * PAGE;
    int failed = begin < EPI_EXTERNAL_SIZE && ompls_make_blocks(&b->blocks, begin, EPI_EXTERNAL_SIZE - begin) ? spawn(b, memory) : ENOMEM;
    close(memory);
    if (failed != 0) return ompls_device_fail(err, "look at the limits on processes, and whether this kernel runs programs of 32 bits", "starting the emulated board: %s", strerror(failed));
    b->started = true;
    b->owner = getpid();
    *loaded = b;
    return 0;
}

static int epi_find_kernel(void *handle, void *loaded, const char *name, void **out, ompls_error *err) {
    kernel *k = malloc(sizeof *k); /* for the life of the program, as the region that asks */
    (void)loaded;
    if (k == NULL) return ompls_device_fail(err, "close other programs", "out of memory");
    char size[256];
    snprintf(size, sizeof size, "ompls_size_%s", name);
    *out = k;
    return find(handle, name, &k->entry) && find(handle, size, &k->code) ? 0 : (free(k), ompls_device_fail(err, "build the program again for `epiphany`", "kernel %s is not in the image", name));
}

static int epi_find_symbol(void *handle, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    uint32_t value;
    (void)loaded;
    if (!find(handle, name, &value)) return ompls_device_fail(err, "build the program again for `epiphany`", "%s is not in the image", name);
    *out = value;
    return 0;
}

/* --- memory ---------------------------------------------------------------------------------------------------------- */

static int epi_alloc(void *handle, uint64_t size, ompls_address *out, ompls_error *err) {
    board *b = handle;
    pthread_mutex_lock(&b->lock);
    uint64_t wanted = size < EPI_EXTERNAL_SIZE ? (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT : 0;
    ompls_block *block = wanted != 0 && b->started ? ompls_take_block(&b->blocks, wanted) : NULL;
    pthread_mutex_unlock(&b->lock);
    if (block == NULL)
        return ompls_device_fail(err, "map less at a time", "no room for %llu bytes in the external memory (32 MiB)", (unsigned long long)size);
    *out = EPI_EXTERNAL + block->offset;
    return 0;
}

static int epi_free(void *handle, ompls_address address, ompls_error *err) {
    board *b = handle;
    pthread_mutex_lock(&b->lock);
    ompls_block *block = address >= EPI_DATA ? ompls_find_block(&b->blocks, address - EPI_EXTERNAL) : NULL;
    bool begins = block != NULL && block->offset == address - EPI_EXTERNAL;
    if (begins) ompls_give_block(&b->blocks, block);
    pthread_mutex_unlock(&b->lock);
    return begins ? 0 : ompls_device_fail(err, "free what was allocated, once", "freeing %#llx: no allocation begins there", (unsigned long long)address);
}

static char *at(board *b, ompls_address address, uint64_t size, ompls_error *err) {
    if (address >= EPI_DATA && size <= EPI_EXTERNAL_SIZE && address - EPI_EXTERNAL <= EPI_EXTERNAL_SIZE - size) return b->memory + (address - EPI_EXTERNAL);
    ompls_device_fail(err, "use addresses of this device", "%#llx is not an address of this device", (unsigned long long)address);
    return NULL;
}

/* A word is written and read as a whole, after what was copied before it: kernels that stay wait for one. */
static bool is_word(uint32_t address, uint64_t size) {
    return size == 4 && address % 4 == 0;
}

static int epi_copy_in(void *handle, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    char *there = at(handle, to, size, err);
    uint32_t word;
    if (there != NULL && is_word((uint32_t)to, size)) {
        memcpy(&word, from, sizeof word);
        __atomic_store_n((uint32_t *)(void *)there, word, __ATOMIC_SEQ_CST);
    } else if (there != NULL) {
        memcpy(there, from, size);
    }
    return there == NULL;
}

static int epi_copy_out(void *handle, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    const char *there = at(handle, from, size, err);
    uint32_t word, before;
    if (there != NULL && is_word((uint32_t)from, size)) {
        word = __atomic_load_n((const uint32_t *)(const void *)there, __ATOMIC_SEQ_CST);
        memcpy(&before, to, sizeof before);
        memcpy(to, &word, sizeof word);
        if (word == before) sched_yield(); /* it is looked at again and again: the cores are processes of this machine */
    } else if (there != NULL) {
        memcpy(to, there, size);
    }
    return there == NULL;
}

static int epi_copy_within(void *handle, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    char *there = at(handle, to, size, err);
    const char *here = there != NULL ? at(handle, from, size, err) : NULL;
    if (here != NULL) memmove(there, here, size);
    return here == NULL;
}

static int epi_attach(void *handle, ompls_address where, ompls_address target, ompls_error *err) {
    uint32_t pointer = (uint32_t)target;
    return epi_copy_in(handle, where, &pointer, sizeof pointer, err);
}

/* --- kernels ---------------------------------------------------------------------------------------------------------- */

static int distance(const board *b, int one, int other) {
    const int columns = (int)b->geometry.columns;
    return abs(one / columns - other / columns) + abs(one % columns - other % columns);
}

/* How far a core is from the nearest of some; where that is the same, from all of them. */
static int away(const board *b, int n, cores from) {
    int least = INT_MAX / EPI_LOCAL, sum = 0;
    for (int other = 0; other < b->number; other++) {
        if ((from & bit(other)) == 0) continue;
        int far = distance(b, n, other);
        if (far < least) least = far;
        sum += far;
    }
    return least * EPI_LOCAL + sum;
}

/* An idle core: the nearest one to the cores of `to`, or, apart, the one that is the farthest from all of them.  With the lock
   held; -1: none is free. */
static int take_core(board *b, const ompls_launch_request *holder, cores to, bool apart) {
    int best = -1, best_far = 0;
    for (int n = 0; n < b->number; n++) {
        if ((b->taken & bit(n)) != 0) continue;
        int far = away(b, n, to);
        if (best < 0 || (apart ? far > best_far : far < best_far)) best = n, best_far = far;
    }
    if (best >= 0) b->taken |= bit(best), b->holder[best] = holder;
    return best;
}

/* Argument 0: for another core. */
static void start(board *b, int n, uint32_t code, uint32_t entry, uint32_t argument) {
    epi_slot *slot = &b->control->slots[n];
    slot->code = code, slot->entry = entry, slot->argument = argument;
    slot->fault = slot->why = slot->wanted = 0;
    __atomic_store_n(&slot->status, EPI_START, __ATOMIC_SEQ_CST);
    wake(&slot->status);
}

static void give_back(board *b, cores those) {
    pthread_mutex_lock(&b->lock);
    b->taken &= ~those;
    pthread_mutex_unlock(&b->lock);
    __atomic_fetch_add(&b->control->host, 1, __ATOMIC_SEQ_CST);
    wake(&b->control->host);
}

/* What a core asks for: cores for its team near to it, or masters of other teams far from all that the kernel has. */
static cores grant(board *b, const ompls_launch_request *request, int asking, cores mine) {
    epi_slot *slot = &b->control->slots[asking];
    cores found = 0;
    pthread_mutex_lock(&b->lock);
    for (uint32_t given = 0; given < slot->wanted; given++) {
        int n = take_core(b, request, slot->apart ? mine | found : bit(asking), slot->apart != 0);
        if (n < 0) break;
        found |= bit(n);
    }
    pthread_mutex_unlock(&b->lock);
    slot->given[0] = (uint32_t)found, slot->given[1] = (uint32_t)(found >> 32);
    for (int n = 0; n < b->number; n++)
        if ((found & bit(n)) != 0) start(b, n, slot->code, slot->other, 0);
    slot->wanted = 0;
    __atomic_fetch_add(&slot->granted, 1, __ATOMIC_SEQ_CST);
    volatile uint32_t *bell = (volatile uint32_t *)(void *)(b->memory + EPI_EXTERNAL_SIZE + (uint32_t)asking * EPI_LOCAL + EPI_BLOCK);
    __atomic_fetch_add(bell, 1, __ATOMIC_SEQ_CST); /* `core` of chip.h begins with it */
    wake(bell);
    return found;
}

/* The cores of a kernel that have finished are given back; those that ask for more get an answer.  What it has then. */
static cores look_after(board *b, const ompls_launch_request *request, int master, cores mine) {
    cores done = 0;
    for (int n = 0; n < b->number; n++)
        if (n != master && (mine & bit(n)) != 0 && b->control->slots[n].status == EPI_DONE) done |= bit(n);
    if (done != 0) give_back(b, done), mine &= ~done;
    for (int n = 0; n < b->number; n++)
        if ((mine & bit(n)) != 0 && b->control->slots[n].wanted != 0) mine |= grant(b, request, n, mine);
    return mine;
}

static void reset(board *b, cores those) {
    __atomic_fetch_or(&b->control->reset[0], (uint32_t)those, __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&b->control->reset[1], (uint32_t)(those >> 32), __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&b->control->board, 1, __ATOMIC_SEQ_CST);
    wake(&b->control->board);
    for (int n = 0; n < b->number; n++)
        for (int tries = 0; (those & bit(n)) != 0 && tries < 2000; tries++) {
            bool waits = (b->control->reset[n / 32] >> n % 32 & 1) != 0 || b->control->slots[n].status != EPI_IDLE;
            if (!waits) break;
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
}

static const char *meaning(uint32_t number) {
    return number == SIGSEGV || number == SIGBUS ? "an address where the chip has no memory"
           : number == SIGFPE                    ? "a division by zero"
                                                 : "a misaligned access, or a trap";
}

/* Addresses of the host, where they have more than 32 bits: nothing is there on a board. */
static uint32_t foreign(uint64_t address) {
    return 0xa0000000u | (address & 0x0fffffff);
}

/* Which address of the host a kernel has touched: the one before it that it was given. */
static uint64_t native(uint32_t address, const ompls_launch_request *request) {
    uint64_t found = address, nearest = UINT64_MAX;
    for (uint32_t i = 0; i < request->nparams && address >> 28 == 0xa; i++) {
        uint64_t value;
        if (request->kinds[i] != OMPLS_PASS_ADDRESS) continue;
        memcpy(&value, request->params[i], sizeof value);
        uint64_t distance = (address - foreign(value)) & 0x0fffffff;
        if (value >> 32 != 0 && distance < nearest) nearest = distance, found = value + distance;
    }
    return found;
}

static int report(board *b, int n, const ompls_launch_request *request, ompls_error *err) {
    const epi_slot *slot = &b->control->slots[n];
    const char *name = request->name;
    err->fault = (int)slot->fault;
    err->fault_address = native(slot->address, request);
    err->fault_line = find_line(b, slot->place, err->fault_file, sizeof err->fault_file);
    return ompls_device_fail(err, "see the kernel", "%s on the emulated core %d (kernel %s, %s:%u)", meaning(slot->why), n, name,
                err->fault_line != 0 ? err->fault_file : "?", err->fault_line);
}

/* What checks have found since the last kernel, with names and lines. */
static void tell_findings(board *b, const ompls_launch_request *request) {
    const epi_findings *all = (const void *)(b->memory + (EPI_FINDINGS - EPI_EXTERNAL));
    for (; b->told < all->number; b->told++) {
        const epi_finding *f = &all->of[b->told];
        char other[128] = "?";
        ompls_finding out = {.kind = "data race on", .check = "races", .address = f->address, .region_file = request->region_file, .region_line = request->region_line, .kernel = request->name,
                             .next = "order the two with a barrier, a critical section, or a flush beside an atomic operation"};
        const uint32_t line = find_line(b, f->other_place - 1, other, sizeof other);
        out.line = find_line(b, f->place - 1, out.file, sizeof out.file);
        snprintf(out.what, sizeof out.what, "core %u %s what core %u has written at %.90s:%u, which need not have arrived", f->core, f->wrote ? "overwrites" : "reads", f->other, other, line);
        find_variable(b, f->address, out.variable, sizeof out.variable);
        ompls_report_finding(b, &out);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds that a kernel has; 0: as many as it takes. */
static double limit(void) {
    const char *asked = getenv("OMPLS_EPIPHANY_DEADLINE");
    return asked != NULL ? strtod(asked, NULL) : 0;
}

/* Until the kernel of `master` has ended, well or not. */
static int await(board *b, int master, const ompls_launch_request *request, ompls_error *err) {
    const double deadline = limit(), since = seconds();
    cores mine = bit(master);
    for (;;) {
        uint32_t now = b->control->host;
        mine = look_after(b, request, master, mine);
        for (int n = 0; n < b->number; n++) {
            if ((mine & bit(n)) == 0 || b->control->slots[n].status != EPI_FAULT) continue;
            report(b, n, request, err);
            reset(b, mine);
            give_back(b, mine);
            return 1;
        }
        if (b->control->slots[master].status == EPI_DONE && mine == bit(master)) break;
        if (deadline > 0 && seconds() - since > deadline) {
            reset(b, mine);
            give_back(b, mine);
            return ompls_device_fail(err, "see the kernel, or OMPLS_EPIPHANY_DEADLINE", "kernel %s did not end within %g seconds; its emulated cores were reset", request->name, deadline);
        }
        if (kill((pid_t)b->control->process, 0) != 0 && errno == ESRCH) {
            b->lost = true, err->fatal = OMPLS_LOST_NOW;
            return ompls_device_fail(err, "see who sends signals to it", "the emulated board has ended");
        }
        syscall(SYS_futex, &b->control->host, FUTEX_WAIT, now, &(struct timespec){.tv_nsec = 20000000}, NULL, 0);
    }
    give_back(b, mine);
    tell_findings(b, request);
    return 0;
}

/* What shall be near to the kernel lies behind its code; the address that it gets instead.  Its place in eight bytes stays, so
   that it is copied in large pieces. */
static bool place_section(board *b, int n, const kernel *k, const ompls_section *asked, uint64_t *address, uint32_t *end, epi_section *out, ompls_error *err) {
    const uint32_t there = (uint32_t)(*address + (uint64_t)asked->offset), at = ((*end + 7) & ~7u) + (there & 7);
    const uint32_t most = EPI_BLOCK - EPI_STACK;
    if (at > most || asked->size > most - at) {
        ompls_device_fail(err, "map less of it, or leave out `ompx_local`",
                          "%s needs %llu bytes of the core's memory, and beside %u of code, %u of other sections and %u for a stack it has %u",
                          asked->name, (unsigned long long)asked->size, k->code - EPI_CODE, *end - k->code, EPI_STACK, most > at ? most - at : 0);
        return false;
    }
    *end = at + (uint32_t)asked->size;
    *out = (epi_section){epi_address(&b->geometry, (uint32_t)n) + at, there, (uint32_t)asked->size, !asked->only_read};
    *address = out->here - (uint64_t)asked->offset;
    return true;
}

/* A page of parameters: what comes near, their addresses, then their bytes. */
static bool put_parameters(board *b, int n, const kernel *k, const ompls_launch_request *request, ompls_error *err) {
    const uint32_t page = EPI_PARAMETERS + (uint32_t)n * PAGE;
    char *here = b->memory + (page - EPI_EXTERNAL);
    epi_parameters *all = (void *)here;
    const uint64_t first = sizeof *all + request->nparams * 4u, number = request->sections != NULL ? request->nparams : 0;
    uint64_t used = (first + number * sizeof(epi_section) + 15) / 16 * 16;
    uint32_t end = k->code;
    *all = (epi_parameters){.sections = page + (uint32_t)first};
    for (uint32_t i = 0; i < request->nparams; i++) {
        bool address = request->kinds[i] == OMPLS_PASS_ADDRESS;
        uint64_t size = address ? 4 : request->sizes[i], value;
        if (used + size > PAGE || used > PAGE) {
            ompls_device_fail(err, "map large variables instead of passing them by value", "more than %d bytes of parameters", PAGE);
            return false;
        }
        ((uint32_t *)(void *)(all + 1))[i] = page + (uint32_t)used;
        if (address) {
            memcpy(&value, request->params[i], sizeof value);
            if (number != 0 && request->sections[i].size != 0 &&
                !place_section(b, n, k, &request->sections[i], &value, &end, (epi_section *)(void *)(here + first) + all->number++, err))
                return false;
            if (value >> 32 != 0) value = foreign(value);
            memcpy(here + used, &value, 4);
        } else {
            memcpy(here + used, request->params[i], size);
        }
        used = (used + size + 15) / 16 * 16;
    }
    return true;
}

/* Whose the cores are. */
static void name_holders(board *b, char *out, size_t size) {
    size_t used = 0;
    cores named = 0;
    out[0] = '\0';
    pthread_mutex_lock(&b->lock);
    for (int n = 0; n < b->number && used < size; n++) {
        if ((b->taken & ~named & bit(n)) == 0) continue;
        const ompls_launch_request *holder = b->holder[n];
        int count = 0;
        for (int other = n; other < b->number; other++)
            if ((b->taken & bit(other)) != 0 && b->holder[other] == holder) named |= bit(other), count++;
        used += (size_t)snprintf(out + used, size - used, "%s%d by kernel %s of %s:%u", used != 0 ? ", " : "", count, holder->name, holder->region_file, holder->region_line);
    }
    pthread_mutex_unlock(&b->lock);
}

/* The first idle core; if there is none, when another kernel has ended.  Who waits for long is told for whom; -1: in vain. */
static int wait_for_core(board *b, const ompls_launch_request *request, ompls_error *err) {
    const double deadline = limit(), since = seconds();
    double patience = deadline > 0 && deadline < 2 * PATIENCE ? deadline / 2 : PATIENCE;
    char holders[400];
    while (!b->lost) {
        uint32_t now = b->control->host;
        pthread_mutex_lock(&b->lock);
        int n = take_core(b, request, 0, false);
        pthread_mutex_unlock(&b->lock);
        if (n >= 0) return n;
        double waited = seconds() - since;
        if (deadline > 0 && waited > deadline) {
            name_holders(b, holders, sizeof holders);
            ompls_device_fail(err, "end those first, or see OMPLS_EPIPHANY_DEADLINE", "kernel %s got no core within %g seconds: %s", request->name, deadline, holders);
            return -1;
        }
        if (patience > 0 && waited > patience) {
            name_holders(b, holders, sizeof holders);
            fprintf(stderr, "ompls: %s:%u: region on epiphany:0: kernel %s waits for a core, for %g seconds now; all %d are held: %s\n",
                    request->region_file, request->region_line, request->name, patience, b->number, holders);
            patience = 0;
        }
        syscall(SYS_futex, &b->control->host, FUTEX_WAIT, now, &(struct timespec){.tv_nsec = 20000000}, NULL, 0);
    }
    err->fatal = OMPLS_LOST_BEFORE;
    ompls_device_fail(err, "start the program again", "the emulated board has ended");
    return -1;
}

static int epi_launch(void *handle, void *found, const ompls_launch_request *request, ompls_error *err) {
    board *b = handle;
    const kernel *k = found;
    const int n = wait_for_core(b, request, err);
    if (n < 0) return 1;
    if (!put_parameters(b, n, k, request, err)) {
        give_back(b, bit(n));
        return 1;
    }
    start(b, n, k->code, k->entry, EPI_PARAMETERS + (uint32_t)n * PAGE);
    return await(b, n, request, err);
}

static int epi_synchronize(void *handle, ompls_error *err) {
    (void)handle, (void)err;
    return 0;
}

/* --- opening and closing ---------------------------------------------------------------------------------------------- */

static int epi_probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)self;
    if (wanted <= 1) return 1;
    ompls_device_fail(err, "ask for one", "%d devices: one board is emulated", wanted);
    return 0;
}

static void epi_close(void *handle) {
    board *b = handle;
    const epi_findings *found = (const void *)(b->memory + (EPI_FINDINGS - EPI_EXTERNAL));
    if (b->started && b->owner == getpid() && getenv("OMPLS_EPIPHANY_COUNT") != NULL)
        fprintf(stderr, "ompls: epiphany: %u writes to other cores, %u of them one after the other\n", found->remote, found->dependent);
    if (b->started && b->owner == getpid()) kill((pid_t)b->control->process, SIGKILL); /* its cores end with it */
    ompls_drop_blocks(&b->blocks);
    munmap(b->memory, WHOLE);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

static int epi_open(ompls_module *self, int index, void **out, ompls_error *err) {
    (void)self, (void)index;
    const char *asked = getenv("OMPLS_EPIPHANY_CHIP");
    unsigned which = 0;
    while (asked != NULL && which < sizeof chips / sizeof *chips && strcmp(chips[which].name, asked) != 0) which++;
    if (which == sizeof chips / sizeof *chips) return ompls_device_fail(err, "say 16 or 64", "OMPLS_EPIPHANY_CHIP=%s: there is no such Epiphany", asked);
    board *b = calloc(1, sizeof *b);
    void *memory = mmap(NULL, WHOLE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b == NULL || memory == MAP_FAILED) {
        free(b);
        return ompls_device_fail(err, "look at the limits on memory", "making the emulated board's memory: %s", strerror(ENOMEM));
    }
    b->memory = memory;
    b->control = memory;
    b->geometry = chips[which].geometry;
    b->number = (int)epi_cores(&chips[which].geometry);
    pthread_mutex_init(&b->lock, NULL);
    *out = b;
    return 0;
}

static int epi_properties(void *handle, ompls_properties *out, ompls_error *err) {
    const board *b = handle;
    (void)err;
    *out = (ompls_properties){.memory = EPI_EXTERNAL_SIZE, .max_threads = (uint32_t)b->number, .max_teams = (uint32_t)b->number,
                              .default_threads = (uint32_t)b->number, .default_teams = 1, .pointer_bytes = 4, .sections = 1};
    snprintf(out->name, sizeof out->name, "an emulated Epiphany with %d cores", b->number);
    return 0;
}

static ompls_module module = {
    .abi = OMPLS_MODULE_ABI, .name = "epiphany", .kind = "accelerator", .image_class = "epiphany", .probe = epi_probe, .open = epi_open,
    .close = epi_close, .properties = epi_properties, .alloc = epi_alloc, .free = epi_free, .copy_in = epi_copy_in,
    .copy_out = epi_copy_out, .copy_within = epi_copy_within, .load = epi_load, .find_kernel = epi_find_kernel,
    .find_symbol = epi_find_symbol, .launch = epi_launch, .synchronize = epi_synchronize, .attach = epi_attach,
};

__attribute__((constructor)) static void announce(void) {
    ompls_register_module(&module);
}
