/* races.c -- what a kernel built for checks calls at each access: a core that reads or overwrites what another one wrote, before
   that write is known to have arrived.

   Writes of a core to two places arrive in any order, but a processor of the emulated board keeps theirs; so the order is followed
   here as the OpenMP memory model has it.  Each core has a clock of all cores.  What a core releases (an atomic store, a lock, a word
   that others wait for) keeps its clock by the address; who acquires there joins it.  Each byte of memory keeps who wrote it last, and
   when.  Only the emulated board has this; nothing of it lies in the chip's memory.  gcc calls it as it would ThreadSanitizer. */
#include "machine.h"

enum { DEPTH = EPI_MOST, SYNC = 4096, LAST = (1 << 26) - 1, RELAXED = 0, ACQUIRE = 2, RELEASE = 3, READ = 0, WRITE = 1, AFTER_READ = 2 };

/* Of each byte that cores can write: who did, in the upper six bits, and when; and where in the program.  The same of the last one that
   read it. */
typedef struct {
    uint32_t *writer, *place, *reader, *read_place;
} bytes;

/* A clock of each core; the last is how many writes to other cores' memories lie one after the other before that moment. */
typedef uint32_t moment[EPI_MOST + 1];

#define BOARD __attribute__((aligned(16), section(".bss.board")))
static moment clocks[EPI_MOST] BOARD;    /* what each core knows */
static moment fenced[EPI_MOST] BOARD;    /* when it last fenced, for relaxed writes after that */
static moment noticed[EPI_MOST] BOARD;   /* what relaxed reads have seen, for a fence after that */
static uint32_t watched[EPI_MOST] BOARD; /* a word that it has begun to read */
static struct {
    uint32_t locks;    /* that it holds */
    bool external;     /* since then, or its last fence, it has written there */
    uint64_t cores;    /* and to these cores */
} on_the_way[EPI_MOST] BOARD;
static struct {
    uint32_t address;
    moment when;
} syncs[SYNC] BOARD; /* the first one is the host's, and of all for which there is no room */
static bytes external BOARD, local BOARD;
static volatile uint32_t busy BOARD;

static uint32_t *pages(uint32_t size) {
    const uint32_t found = (uint32_t)board_call(MMAP, 0, size, 3, 0x4022 /* private, anonymous, no reserve */, ~0u, 0);
    if (found >= 0xfffff000u) board_call(EXIT_ALL, 4, 0, 0, 0, 0, 0);
    return (uint32_t *)found;
}

void races_begin(void) {
    enum { OF_LOCAL = EPI_MOST * EPI_LOCAL };
    enum { ALL = EPI_EXTERNAL_SIZE * 4 };
    external = (bytes){pages(ALL), pages(ALL), pages(ALL), pages(ALL)};
    local = (bytes){pages(OF_LOCAL * 4), pages(OF_LOCAL * 4), pages(OF_LOCAL * 4), pages(OF_LOCAL * 4)};
    for (int n = 0; n < EPI_MOST; n++) clocks[n][n] = 1;
}

/* Which core has an address; -1: none. */
static int core_of(uint32_t address) {
    const epi_geometry *g = &control()->geometry;
    const uint32_t id = (address >> 20) - g->first;
    if ((address & 0xfffff) >= EPI_LOCAL || id / 64 >= g->rows || id % 64 >= g->columns) return -1;
    return (int)(id / 64 * g->columns + id % 64);
}

static int me(void) { /* before the board is there, nobody */
    return external.writer == 0 ? -1 : core_of((uint32_t)__builtin_frame_address(0));
}

static bool shadow_of(uint32_t address, bytes *out) {
    uint32_t at = address - EPI_EXTERNAL;
    bytes from = external;
    if (at >= EPI_EXTERNAL_SIZE) {
        int n = core_of(address);
        if (n < 0) return false;
        at = (uint32_t)n * EPI_LOCAL + (address & 0xfffff), from = local;
    }
    *out = (bytes){from.writer + at, from.place + at, from.reader + at, from.read_place + at};
    return true;
}

/* --- clocks ------------------------------------------------------------------------------------------------------------ */

static void enter(int core) {
    uint32_t none = 0;
    while (!__atomic_compare_exchange_n(&busy, &none, (uint32_t)core + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        none = 0, board_call(YIELD, 0, 0, 0, 0, 0, 0);
}

static void leave(void) {
    __atomic_store_n(&busy, 0, __ATOMIC_SEQ_CST);
}

static void join(uint32_t *to, const uint32_t *from) {
    for (uint32_t n = 0; n <= DEPTH; n++)
        if (to[n] < from[n]) to[n] = from[n];
}

/* The program has started a kernel, or a part of one, after what others had ended by then. */
void races_start(uint32_t core) {
    on_the_way[core].locks = 0;
    enter((int)core);
    join(clocks[core], syncs[0].when);
    leave();
}

/* A core that was ended does not leave, and what it wrote is nobody's. */
void races_forget(uint32_t core) {
    uint32_t held = core + 1;
    __atomic_compare_exchange_n(&busy, &held, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    for (int n = 0; n < EPI_MOST; n++)
        if (clocks[n][core] < clocks[core][core]) clocks[n][core] = clocks[core][core];
}

/* What was released at an address; the control area is one, since the host is between its words. */
static uint32_t *released_at(uint32_t address, bool make) {
    const bool host = address - EPI_EXTERNAL < 0x1000;
    for (uint32_t i = 1, at = address * 2654435761u >> 20; !host && i < 32; i++, at++) {
        const uint32_t slot = at % (SYNC - 1) + 1;
        if (syncs[slot].address == 0 && make) syncs[slot].address = address;
        if (syncs[slot].address == address) return syncs[slot].when;
        if (syncs[slot].address == 0) return 0;
    }
    return syncs[0].when;
}

static void acquire(int core, uint32_t address) {
    const uint32_t *when = released_at(address, false);
    if (when != 0) join(clocks[core], when);
}

static void release(int core, uint32_t address) {
    join(released_at(address, true), clocks[core]);
    if (clocks[core][core] < LAST) clocks[core][core]++;
}

/* What a core has written to its own memory is there at once.  Only the run time's own locks are looked at: a write that one of them
   guards and that arrives behind its release is an error of the run time. */
void races_reach(const volatile uint8_t *marks) {
    const int core = me(), to = core_of((uint32_t)marks);
    if (core < 0) return;
    if (to < 0) on_the_way[core].external = false;
    else on_the_way[core].cores &= ~((uint64_t)1 << to);
}

void races_lock(void) {
    const int core = me();
    if (core >= 0 && on_the_way[core].locks++ == 0) on_the_way[core].external = false, on_the_way[core].cores = 0;
}

void races_unlock(const word *l) {
    const int core = me(), of = core_of((uint32_t)l);
    if (core < 0 || of < 0) return;
    const uint64_t near = (uint64_t)1 << core | (uint64_t)1 << of;
    if (on_the_way[core].external || (on_the_way[core].cores & ~near) != 0) __builtin_trap();
    on_the_way[core].locks--;
}

static void send(int core, uint32_t address) {
    const int to = core_of(address);
    if (on_the_way[core].locks == 0) return;
    if (to < 0) on_the_way[core].external = true;
    else on_the_way[core].cores |= (uint64_t)1 << to;
}

/* The word whose reading began before may have had a newer value by the time it was read. */
static void finish_reading(int core) {
    if (watched[core] == 0) return;
    enter(core);
    acquire(core, watched[core]);
    leave();
    watched[core] = 0;
}

/* --- accesses ---------------------------------------------------------------------------------------------------------- */

static void found(int core, int other, uint32_t address, int kind, uint32_t place, uint32_t other_place) {
    epi_findings *all = (epi_findings *)EPI_FINDINGS;
    enter(core);
    bool known = all->number == sizeof all->of / sizeof *all->of;
    for (uint32_t i = 0; i < all->number; i++) known |= all->of[i].place == place && all->of[i].other_place == other_place;
    if (!known) {
        all->of[all->number] = (epi_finding){(uint32_t)core, (uint32_t)other, address, (uint32_t)kind, place, other_place};
        __atomic_store_n(&all->number, all->number + 1, __ATOMIC_SEQ_CST);
    }
    leave();
}

/* A write that goes over the network of the chip to another core.  With the lock held, as all that follows. */
static void count(int core, uint32_t address) {
    epi_findings *all = (epi_findings *)EPI_FINDINGS;
    const int to = core_of(address);
    if (to < 0 || to == core) return;
    all->remote++;
    if (++clocks[core][DEPTH] > all->dependent) all->dependent = clocks[core][DEPTH];
}

static void publish(int core, uint32_t address, int order) {
    if (order >= RELEASE) release(core, address);
    else join(released_at(address, true), fenced[core]);
}

static void notice(int core, uint32_t address, int order) {
    join(order != RELAXED && order != RELEASE ? clocks[core] : noticed[core], released_at(address, true));
}

static void mark(int core, uint32_t *writer, uint32_t *place, uint32_t here) {
    *writer = (uint32_t)core << 26 | clocks[core][core], *place = here;
}

/* Whether another core did it at a moment that this one knows nothing of. */
static bool is_unordered(int core, uint32_t last) {
    const uint32_t other = last >> 26;
    return last != 0 && (int)other != core && (last & LAST) > clocks[core][other];
}

/* One finding for an access. */
static void access(uint32_t address, uint32_t size, int kind, bool atomic, uint32_t place) {
    const int core = me();
    bytes of;
    bool told = atomic;
    if (core < 0 || !shadow_of(address, &of)) return;
    finish_reading(core);
    if (kind == WRITE) {
        enter(core);
        count(core, address);
        leave();
        send(core, address);
    }
    for (uint32_t i = 0; i < size; i++) {
        if (!told && is_unordered(core, of.writer[i])) {
            found(core, (int)(of.writer[i] >> 26), address + i, kind, place, of.place[i]);
            told = true;
        } else if (!told && kind == WRITE && is_unordered(core, of.reader[i])) {
            found(core, (int)(of.reader[i] >> 26), address + i, AFTER_READ, place, of.read_place[i]);
            told = true;
        }
        if (kind == WRITE) mark(core, &of.writer[i], &of.place[i], place);
        else if (!atomic) mark(core, &of.reader[i], &of.read_place[i], place);
    }
}

static bool is_followed(uint32_t address) {
    return address - EPI_EXTERNAL < EPI_EXTERNAL_SIZE || core_of(address) >= 0;
}

static void before(uint32_t address, int order) {
    const int core = me();
    if (core < 0) return;
    finish_reading(core);
    if (!is_followed(address)) return;
    enter(core);
    publish(core, address, order);
    leave();
}

static void after(uint32_t address, int order) {
    const int core = me();
    if (core < 0 || !is_followed(address)) return;
    enter(core);
    notice(core, address, order);
    leave();
}

/* A word is exchanged only if it is what was expected: if not, nothing is written, and nothing released.  Which of the two, and what is
   known of the word, others learn at once. */
static int begin_exchange(uint32_t address) {
    const int core = me();
    if (core < 0) return core;
    finish_reading(core);
    if (!is_followed(address)) return -1;
    enter(core);
    return core;
}

static void end_exchange(int core, uint32_t address, uint32_t size, bool done, int order, uint32_t place) {
    bytes of;
    if (core < 0) return;
    if (done && shadow_of(address, &of)) {
        count(core, address), send(core, address);
        for (uint32_t i = 0; i < size; i++) mark(core, &of.writer[i], &of.place[i], place);
        publish(core, address, order);
    }
    notice(core, address, order);
    leave();
}

/* Of a word that counts up, by one at a time: two of its values may be on the way. */
void races_release(const word *at, uint32_t value) {
    const int core = me();
    if (core >= 0) {
        enter(core);
        count(core, (uint32_t)at);
        leave();
    }
    before((uint32_t)at + 1 + (value & 1), RELEASE);
}

void races_acquire(const word *at, uint32_t value) {
    after((uint32_t)at + 1 + (value & 1), ACQUIRE);
}

/* A word is written, and then released: who acquires it may read it as any other. */

/* --- gcc's names ------------------------------------------------------------------------------------------------------ */

#define HERE ((uint32_t)__builtin_return_address(0))

#define PLAIN(n)                                                                                                   \
    void __tsan_read##n(void *at) { access((uint32_t)at, n, READ, false, HERE); }                                  \
    void __tsan_write##n(void *at) { access((uint32_t)at, n, WRITE, false, HERE); }                                \
    void __tsan_unaligned_read##n(void *at) { access((uint32_t)at, n, READ, false, HERE); }                        \
    void __tsan_unaligned_write##n(void *at) { access((uint32_t)at, n, WRITE, false, HERE); }                      \
    void __tsan_volatile_read##n(void *at) {                                                                       \
        const int core = me();                                                                                     \
        if (core < 0) return;                                                                                      \
        finish_reading(core);                                                                                      \
        watched[core] = (uint32_t)at;                                                                              \
    }                                                                                                              \
    void __tsan_volatile_write##n(void *at) {                                                                      \
        access((uint32_t)at, n, WRITE, true, HERE);                                                                \
        before((uint32_t)at, RELEASE);                                                                             \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void races_range(const void *at, size_t size, int written, const void *place) {
    access((uint32_t)at, size, written, false, (uint32_t)place);
}

void __tsan_read_range(void *at, unsigned long size) { access((uint32_t)at, size, READ, false, HERE); }
void __tsan_write_range(void *at, unsigned long size) { access((uint32_t)at, size, WRITE, false, HERE); }
void __tsan_init(void) {}

void __tsan_atomic_thread_fence(int order) {
    const int core = me();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (core < 0) return;
    finish_reading(core);
    if (order != RELEASE) join(clocks[core], noticed[core]);
    if (order < RELEASE) return;
    __atomic_fetch_add(&((epi_findings *)EPI_FINDINGS)->fences, 1, __ATOMIC_SEQ_CST);
    join(fenced[core], clocks[core]);
    if (clocks[core][core] < LAST) clocks[core][core]++;
}

void __tsan_atomic_signal_fence(int order) { (void)order; }

#define UPDATE(bits, type, name)                                              \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order) { \
        access((uint32_t)at, sizeof(type), WRITE, true, HERE);                \
        before((uint32_t)at, order);                                          \
        const type old = __atomic_##name##_n_(at, value);                     \
        after((uint32_t)at, order);                                           \
        return old;                                                           \
    }
#define __atomic_exchange_n_(at, value) __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST)
#define __atomic_fetch_add_n_(at, value) __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST)
#define __atomic_fetch_sub_n_(at, value) __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST)
#define __atomic_fetch_and_n_(at, value) __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST)
#define __atomic_fetch_or_n_(at, value) __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST)
#define __atomic_fetch_xor_n_(at, value) __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST)
#define __atomic_fetch_nand_n_(at, value) __atomic_fetch_nand(at, value, __ATOMIC_SEQ_CST)

#define ATOMIC(bits, type)                                                                                     \
    type __tsan_atomic##bits##_load(const volatile type *at, int order) {                                      \
        const type value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
        after((uint32_t)at, order);                                                                            \
        return value;                                                                                          \
    }                                                                                                          \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order) {                               \
        access((uint32_t)at, sizeof(type), WRITE, true, HERE);                                                 \
        before((uint32_t)at, order);                                                                           \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                         \
    }                                                                                                          \
    UPDATE(bits, type, exchange)                                                                               \
    UPDATE(bits, type, fetch_add)                                                                              \
    UPDATE(bits, type, fetch_sub)                                                                              \
    UPDATE(bits, type, fetch_and)                                                                              \
    UPDATE(bits, type, fetch_or)                                                                               \
    UPDATE(bits, type, fetch_xor)                                                                              \
    UPDATE(bits, type, fetch_nand)                                                                             \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *at, type *old, type value, int order, int other) { \
        (void)other;                                                                                           \
        const int core = begin_exchange((uint32_t)at);                                                         \
        const int done = __atomic_compare_exchange_n(at, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        end_exchange(core, (uint32_t)at, sizeof(type), done, order, HERE);                                     \
        return done;                                                                                           \
    }                                                                                                          \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *at, type *old, type value, int order, int other) { \
        return __tsan_atomic##bits##_compare_exchange_strong(at, old, value, order, other);                    \
    }                                                                                                          \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type old, type value, int order, int other) { \
        __tsan_atomic##bits##_compare_exchange_strong(at, &old, value, order, other);                          \
        return old;                                                                                            \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
