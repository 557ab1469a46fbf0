/* ecore.c -- what a core does by its own instructions (Epiphany architecture reference): TESTSET, and waiting by looking.

   Who waits looks at a word again and again: of its own memory, or of external memory (a start, locks, counters of tasks). */
#include "chip.h"

bool chip_testset(word *lock) {
    uint32_t value = 1;
#ifdef __epiphany__
    __asm__ volatile("testset %0, [%1, %2]" : "+r"(value) : "r"(lock), "r"(0) : "memory");
#else /* to estimate sizes with another compiler */
    value = __atomic_exchange_n(lock, value, __ATOMIC_SEQ_CST);
#endif
    return value == 0;
}

/* Who waits for what is not in its own memory leaves the way there to others meanwhile. */
void chip_pause(void) {
    for (int i = 0; i < 100; i++) __asm__ volatile("" : : : "memory");
}

void lock(word *l) {
    while (!chip_testset(l)) chip_pause();
}

void unlock(word *l) {
    *l = 0;
}

void chip_reach(volatile uint8_t *marks, const core *c) {
    marks += c->index;
    const uint8_t mark = (uint8_t)(*marks + 1); /* another one than is there */
    *marks = mark;
    while (*marks != mark) continue;
}

/* Channel 1 of the DMA engine, from a descriptor in this core's memory: in the largest pieces that both addresses and the size
   allow.  In message mode what arrives here has arrived when the engine is idle. */
#ifdef __epiphany__
enum { ENABLE = 1, MASTER = 2, STARTUP = 8, SIZE = 5, MESSAGE = 1 << 10, BUSY = 0xf };

void chip_copy(void *to, const void *from, uint32_t size) {
    const uint32_t mine = (uint32_t)self() >> 20, both = (uint32_t)to | (uint32_t)from | size;
    const bool in = (uint32_t)to >> 20 == mine;
    volatile uint32_t words[6] __attribute__((aligned(8)));
    uint32_t unit = 3, state;
    if (size == 0) return;
    while ((both & ((1u << unit) - 1)) != 0) unit--;
    words[0] = ENABLE | MASTER | unit << SIZE | (in ? MESSAGE : 0);
    words[1] = words[3] = 0x10001u << unit;     /* the strides: of the destination, of the source */
    words[2] = 0x10000u | size >> unit;         /* once so many */
    words[4] = in ? (uint32_t)from : (uint32_t)from & 0xfffff; /* its own memory by its local address */
    words[5] = in ? (uint32_t)to & 0xfffff : (uint32_t)to;
    __asm__ volatile("movts dma1config, %0" : : "r"((uint32_t)words << 16 | STARTUP) : "memory");
    do __asm__ volatile("movfs %0, dma1status" : "=r"(state) : : "memory");
    while ((state & BUSY) != 0);
}
#else
void chip_copy(void *to, const void *from, uint32_t size) { __builtin_memcpy(to, from, size); }
#endif

/* A timer of 32 bits runs down, 600,000,000 times a second, from the start of the kernel; it stops after seven seconds. */
#ifdef __epiphany__
static void start_timer(void) {
    uint32_t whole = ~0u, configuration;
    __asm__ volatile("movts ctimer0, %0" : : "r"(whole));
    __asm__ volatile("movfs %0, config" : "=r"(configuration));
    configuration = (configuration & ~0xf0u) | 0x10;
    __asm__ volatile("movts config, %0" : : "r"(configuration));
}

double chip_seconds(void) {
    uint32_t left;
    __asm__ volatile("movfs %0, ctimer0" : "=r"(left));
    return ~left * (1 / 600e6);
}
#else
static void start_timer(void) {}
double chip_seconds(void) {
    static word left;
    return ~left * (1 / 600e6);
}
#endif

/* Each core begins here; between two kernels it waits until the host starts the next one. */
void chip_begin(void);
void chip_begin(void) {
    core *me = self();
    const epi_geometry *g = &control()->geometry;
    const uint32_t place = ((uint32_t)me >> 20) - g->first; /* a row has 64 */
    me->first = g->first << 20, me->index = place & 63;
    for (uint32_t row = place >> 6; row > 0; row--) me->index += g->columns;
    epi_slot *slot = slot_of(me);
    for (;;) {
        while (slot->status != EPI_START) chip_pause();
        slot->status = EPI_RUNNING;
        while (slot->status == EPI_START) continue; /* a read may overtake a write: a short kernel would be started twice */
        start_timer();
        serve(me);
    }
}

/* What a core cannot go on from: the host resets it. */
_Noreturn void abort(void);
_Noreturn void abort(void) {
    slot_of(self())->status = EPI_FAULT;
    for (;;) continue;
}
