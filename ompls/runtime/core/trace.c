/* trace.c -- what a program does with its devices, for people (OMPLS_INFO) and for tools (OMPLS_TRACE).

   Nobody pays for it but those who ask: the callers test `ompls_observing` and build no event when it is 0.  The format is
   docs' "Trace": one JSON object a line, the first one describes the run.  A thread makes its line alone, reserves room for
   it in a ring, copies it there, and publishes it behind those before; no lock is taken.  Whoever finds the ring half full
   brings it to the file, as do an error and the end of a construct: a program may end at any time, in any way. */
#define _GNU_SOURCE
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

int ompls_observing;
unsigned ompls_info;

enum { RING = 1 << 18, VALUES = 1024, LONG = 1 << 20 /* bytes of a trace that gets an index */ };

static atomic_bool tracing;
static char ring[RING];
static _Atomic uint64_t reserved, published, drained; /* bytes since the beginning */
static pthread_mutex_t draining = PTHREAD_MUTEX_INITIALIZER;
static struct timespec start;

/* The program may close our descriptor, and open a file of its own that gets the number: it is ours as long as it leads to
   the file that was opened.  With the lock held. */
static struct {
    int descriptor;
    dev_t device;
    ino_t inode;
    char *path; /* absolute, where it has a name: the program may change its directory */
} file = {.descriptor = -1};

/* With OMPLS_TRACE_CONTENT, a copy's event has a hash of the bytes, so that it is seen where the same travels again.  Reading
   them takes up to 4 % of the time: all copies are looked at until that is used up, and again from 1 % on, because only
   copies that follow one another can be compared. */
static struct {
    bool wanted;
    atomic_bool resting;
    _Atomic uint64_t spent; /* ns */
} contents;

/* OMPLS_TRACE_VALUES: how many bytes of each item the trace keeps, at most VALUES. */
static size_t values;

uint64_t ompls_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(now.tv_sec - start.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec - (uint64_t)start.tv_nsec + 1;
}

/* --- lines and the ring ------------------------------------------------------------------------------------------------ */

static bool is_ours(int descriptor) {
    struct stat found;
    return descriptor >= 0 && fstat(descriptor, &found) == 0 && found.st_dev == file.device && found.st_ino == file.inode;
}

/* At 10 or higher: 0 to 2, and what a program opens next, are the program's. */
static int open_high(const char *path, int flags) {
    int low = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666), high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 10);
    if (high < 0) return low;
    close(low);
    return high;
}

static void close_file(void) {
    if (is_ours(file.descriptor)) close(file.descriptor);
    file.descriptor = -1;
}

/* Whether the descriptor leads to the trace, perhaps again.  Where it cannot, the rest of the trace is lost. */
static bool have_file(void) {
    if (OMPLS_LIKELY(is_ours(file.descriptor))) return true;
    if (file.descriptor < 0) return false;
    file.descriptor = file.path == NULL ? -1 : open_high(file.path, O_APPEND | O_NONBLOCK /* a pipe may have no reader */);
    if (is_ours(file.descriptor)) return true;
    if (file.descriptor >= 0) close(file.descriptor);
    file.descriptor = -1;
    ompls_warn("the trace %s ends here: the program has closed its descriptor, and it cannot be opened again", file.path != NULL ? file.path : "");
    return false;
}

/* A full disk loses the rest of the trace, not the run. */
static void write_out(const char *bytes, size_t size) {
    while (size > 0 && file.descriptor >= 0) {
        ssize_t done = write(file.descriptor, bytes, size);
        if (done < 0 && errno != EINTR) {
            ompls_warn("the trace %s ends here: %s", file.path != NULL ? file.path : "", strerror(errno));
            close_file();
        }
        if (done > 0) bytes += done, size -= (size_t)done;
    }
}

/* With the lock held: what is published goes to the file. */
static void drain(void) {
    uint64_t from = atomic_load_explicit(&drained, memory_order_relaxed), to = atomic_load_explicit(&published, memory_order_acquire);
    size_t at = from % RING, size = to - from, first = size < RING - at ? size : RING - at;
    if (size > 0 && have_file()) {
        write_out(ring + at, first);
        write_out(ring, size - first);
    }
    atomic_store_explicit(&drained, to, memory_order_release);
}

/* event -- what the line says; NULL: it is none. */
static void emit(const ompls_line *l, const ompls_event *event, uint64_t t, uint64_t duration) {
    uint64_t at = atomic_fetch_add_explicit(&reserved, l->used, memory_order_relaxed), end = at + l->used;
    while (end - atomic_load_explicit(&drained, memory_order_acquire) > RING) {
        if (pthread_mutex_trylock(&draining) != 0) {
            sched_yield();
            continue;
        }
        drain();
        pthread_mutex_unlock(&draining);
    }
    size_t place = at % RING, first = l->used < RING - place ? l->used : RING - place;
    memcpy(ring + place, l->text, first);
    memcpy(ring, l->text + first, l->used - first);
    while (atomic_load_explicit(&published, memory_order_acquire) != at) sched_yield();
    if (event != NULL) ompls_index_event(event, t, duration, at, l->used);
    atomic_store_explicit(&published, end, memory_order_release);
    if (end - atomic_load_explicit(&drained, memory_order_relaxed) <= RING / 2 || pthread_mutex_trylock(&draining) != 0) return;
    drain();
    pthread_mutex_unlock(&draining);
}

static void drain_now(void) {
    pthread_mutex_lock(&draining);
    drain();
    pthread_mutex_unlock(&draining);
}

void ompls_observed(void) {
    if (atomic_load_explicit(&tracing, memory_order_relaxed)) drain_now();
}

/* A child of fork has a copy of the ring: its parent writes it. */
static void forked(void) {
    pthread_mutex_init(&draining, NULL);
    atomic_store(&tracing, false);
    close_file();
    ompls_observing = ompls_info != 0;
}

static void open_trace(const char *path, int argc, char **argv) {
    struct stat found;
    file.descriptor = open_high(path, O_CREAT);
    if (file.descriptor < 0 || fstat(file.descriptor, &found) != 0) {
        ompls_warn("cannot write the trace %s: %s", path, strerror(errno));
        return;
    }
    /* Programs that this one starts have the same variable: what is written already must not be theirs to empty. */
    if (S_ISREG(found.st_mode) && flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ompls_warn("cannot write the trace %s: another program writes it; give this one a file of its own (OMPLS_TRACE)", path);
        close(file.descriptor);
        file.descriptor = -1;
        return;
    }
    if (S_ISREG(found.st_mode) && ftruncate(file.descriptor, 0) != 0) ompls_warn("cannot empty the trace %s: %s", path, strerror(errno));
    file.device = found.st_dev;
    file.inode = found.st_ino;
    file.path = realpath(path, NULL);
    if (file.path == NULL) file.path = strdup(path); /* /dev/stderr, say, where that is a pipe */
    atomic_store(&tracing, true);
    pthread_atfork(NULL, NULL, forked);
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    ompls_line l = {0};
    ompls_line_add(&l, "{\"ompls_trace\": 1, \"program\": ");
    ompls_line_string(&l, program_invocation_name);
    /* In an interpreter that hosts the program the arguments are the interpreter's, and the program's are the last of them. */
    int own = 0;
    while (own < argc && strcmp(argv[own], program_invocation_name) != 0) own++;
    if (own < argc) {
        for (int i = own; i < argc && l.used + 2 * OMPLS_LINE_TEXT < sizeof l.text; i++) {
            ompls_line_add(&l, i == own ? ", \"command\": [" : ", ");
            ompls_line_string(&l, argv[i]);
        }
        ompls_line_add(&l, "]");
    }
    ompls_line_add(&l, ", \"pid\": %d, \"start\": %lld.%09ld, \"unit\": \"ns\"}\n", (int)getpid(), (long long)wall.tv_sec, wall.tv_nsec);
    emit(&l, NULL, 0, 0);
    drain_now();
}

/* Before any unit registers or maps: constructors with priorities run before those without. */
__attribute__((constructor(101))) static void begin(int argc, char **argv) {
    clock_gettime(CLOCK_MONOTONIC, &start);
    const char *path = getenv("OMPLS_TRACE"), *info = getenv("OMPLS_INFO");
    if (info != NULL) ompls_info = (unsigned)strtoul(info, NULL, 0);
    if (path != NULL && *path != '\0') open_trace(path, argc, argv);
    const char *content = getenv("OMPLS_TRACE_CONTENT");
    contents.wanted = content != NULL && strcmp(content, "1") == 0;
    const char *kept = getenv("OMPLS_TRACE_VALUES");
    unsigned long wanted = kept != NULL ? strtoul(kept, NULL, 10) : 0;
    values = wanted < VALUES ? wanted : VALUES;
    ompls_observing = atomic_load(&tracing) || ompls_info != 0;
}

/* With the lock held, when nothing is in the ring. */
static void append(const char *bytes, size_t size) {
    if (have_file()) write_out(bytes, size);
}

void ompls_trace_finish(void) {
    if (!atomic_exchange(&tracing, false)) return;
    /* What other threads have reserved is there in a moment, unless they have been ended in between. */
    for (int i = 0; i < 1000 && atomic_load(&published) != atomic_load(&reserved); i++) usleep(1000);
    pthread_mutex_lock(&draining);
    if (atomic_load(&published) == atomic_load(&reserved)) {
        drain();
        if (atomic_load(&published) > LONG) ompls_index_write(append);
        ompls_line l = {0};
        ompls_line_add(&l, "{\"t\": %" PRIu64 ", \"thread\": %d, \"kind\": \"end\"}\n", ompls_now(), (int)syscall(SYS_gettid));
        emit(&l, NULL, 0, 0);
    }
    drain();
    close_file();
    pthread_mutex_unlock(&draining);
}

/* --- contents ---------------------------------------------------------------------------------------------------------- */

static bool may_look(uint64_t bytes, uint64_t now) {
    uint64_t spent = atomic_load_explicit(&contents.spent, memory_order_relaxed) + bytes / 8 /* ns, about */, little = 1000000;
    bool resting = atomic_load_explicit(&contents.resting, memory_order_relaxed);
    resting = spent > (resting ? now / 100 + little : now / 25 + little);
    atomic_store_explicit(&contents.resting, resting, memory_order_relaxed);
    return !resting;
}

/* Four words at once, each in a lane of its own: as fast as memory is.  Every word counts, as what a lane does to it can be
   undone. */
static uint64_t hash_of(const void *data, uint64_t size) {
    const unsigned char *at = data;
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t lane[4] = {size, 1, 2, 3}, word[4];
    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++) {
            lane[i] = (lane[i] ^ word[i]) * factor;
            lane[i] ^= lane[i] >> 32;
        }
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, size);
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) {
        all = (all ^ lane[i]) * factor;
        all = (all ^ all >> 29 ^ word[i]) * factor;
        all ^= all >> 32;
    }
    return all;
}

/* --- events ------------------------------------------------------------------------------------------------------------ */

static void number(ompls_line *l, const char *key, int64_t value) {
    ompls_line_add(l, ", \"%s\": %" PRId64, key, value);
}

static void string(ompls_line *l, const char *key, const char *value) {
    ompls_line_add(l, ", \"%s\": ", key);
    ompls_line_string(l, value);
}

/* The first bytes of an item on the host.  The kernel reads them: of `map(alloc: …)` there may be no memory to read. */
static void add_values(ompls_line *l, const void *host, uint64_t bytes) {
    unsigned char first[VALUES];
    struct iovec to = {first, bytes < values ? bytes : values}, from = {(void *)(uintptr_t)host, to.iov_len};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    if (got <= 0) return;
    ompls_line_add(l, ", \"values\": \"");
    for (ssize_t i = 0; i < got; i++) ompls_line_add(l, "%02x", first[i]);
    ompls_line_add(l, "\"");
}

static void write_event(const ompls_event *event, uint64_t now, uint64_t duration) {
    static _Thread_local int thread;
    if (thread == 0) thread = (int)syscall(SYS_gettid);
    ompls_line l;
    l.used = 0;
    ompls_line_add(&l, "{\"t\": %" PRIu64 ", \"thread\": %d, \"kind\": \"%s\"", event->began != 0 ? event->began : now, thread, event->kind);
    if (event->at.device != NULL) string(&l, "device", event->at.device->name);
    if (event->at.region != NULL) {
        char place[OMPLS_LINE_TEXT];
        snprintf(place, sizeof place, "%s:%u", event->at.region->file, event->at.region->line);
        string(&l, "region", place);
    }
    if (event->var != NULL) string(&l, "var", event->var);
    if (event->host != NULL) ompls_line_add(&l, ", \"host\": \"%#" PRIxPTR "\"", (uintptr_t)event->host);
    if (event->address != 0) ompls_line_add(&l, ", \"address\": \"%#" PRIx64 "\"", event->address);
    if (event->bytes != 0 || event->direction != NULL) number(&l, "bytes", (int64_t)event->bytes);
    if (event->direction != NULL) string(&l, "direction", event->direction);
    if (event->counted) number(&l, "refcount", event->refcount);
    const uint32_t *g = event->grid, *b = event->block;
    if (g != NULL) ompls_line_add(&l, ", \"grid\": [%u, %u, %u]", g[0], g[1], g[2]);
    if (b != NULL) ompls_line_add(&l, ", \"block\": [%u, %u, %u]", b[0], b[1], b[2]);
    if (event->tasks != 0) {
        number(&l, "tasks", event->tasks);
        number(&l, "edges", event->edges);
    }
    if (event->began != 0) number(&l, "duration", (int64_t)duration);
    /* An attached pointer is the device's: the host has no bytes of it. */
    if (contents.wanted && event->direction != NULL && event->host != NULL && may_look(event->bytes, now)) {
        uint64_t before = ompls_now();
        ompls_line_add(&l, ", \"content\": \"%016" PRIx64 "\"", hash_of(event->host, event->bytes));
        atomic_fetch_add_explicit(&contents.spent, ompls_now() - before, memory_order_relaxed);
    }
    if (values != 0 && event->host != NULL && event->bytes != 0) add_values(&l, event->host, event->bytes);
    if (event->locks != NULL) {
        number(&l, "acquisitions", (int64_t)event->locks->acquisitions);
        number(&l, "contended", (int64_t)event->locks->contended);
    }
    if (event->text != NULL) string(&l, "message", event->text);
    ompls_line_add(&l, "}\n");
    emit(&l, event, event->began != 0 ? event->began : now, duration);
    if (strcmp(event->kind, "error") == 0) drain_now();
}

static void print_info(const ompls_event *event, uint64_t duration) {
    unsigned wanted = 0;
    if (event->grid != NULL) wanted = OMPLS_INFO_LAUNCHES;
    else if (event->direction != NULL) wanted = OMPLS_INFO_COPIES;
    else if (event->counted) wanted = event->changed ? OMPLS_INFO_CHANGES : OMPLS_INFO_PRESENT;
    else if (strcmp(event->kind, "argument") == 0) wanted = OMPLS_INFO_ARGUMENTS;
    if ((ompls_info & wanted) == 0) return;
    char line[512];
    size_t used = (size_t)snprintf(line, sizeof line, "ompls: %s:%u: %s: %s", event->at.region != NULL ? event->at.region->file : "program",
                                   event->at.region != NULL ? event->at.region->line : 0,
                                   event->at.device != NULL ? event->at.device->name : "initial device", event->kind);
#define ADD(...)                                                                                                         \
    do {                                                                                                                 \
        if (used < sizeof line) used += (size_t)snprintf(line + used, sizeof line - used, __VA_ARGS__);                  \
    } while (0)
    if (event->var != NULL) ADD(" '%s'", event->var);
    if (event->direction != NULL) ADD(" %s", event->direction);
    if (event->bytes != 0) ADD(" %" PRIu64 " bytes", event->bytes);
    if (event->host != NULL) ADD(" host %p", event->host);
    if (event->address != 0) ADD(" device %#" PRIx64, event->address);
    if (event->counted && event->refcount < 0) ADD(" count for ever");
    else if (event->counted) ADD(" count %" PRId64, event->refcount);
    const uint32_t *g = event->grid, *b = event->block;
    if (g != NULL && (g[1] | g[2] | b[1] | b[2]) == 1) ADD(" grid %u block %u", g[0], b[0]);
    else if (g != NULL) ADD(" grid %u x %u x %u block %u x %u x %u", g[0], g[1], g[2], b[0], b[1], b[2]);
    if (event->text != NULL) ADD(" %s", event->text);
    if (event->began != 0) ADD(" in %.1f us", (double)duration / 1000);
#undef ADD
    fprintf(stderr, "%s\n", line);
}

uint64_t ompls_begin(const ompls_event *event) {
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_event(event, true);
    return ompls_now();
}

void ompls_observe(const ompls_event *event) {
    if (OMPLS_UNLIKELY(ompls_tooling) && event->began != 0) ompls_tool_event(event, false);
    bool traced = atomic_load_explicit(&tracing, memory_order_relaxed);
    if (!traced && ompls_info == 0) return;
    uint64_t now = ompls_now(), duration = event->began != 0 ? now - event->began : 0;
    if (ompls_info != 0) print_info(event, duration);
    if (traced && strcmp(event->kind, "argument") != 0) write_event(event, now, duration);
}
