/* machine.c -- what a core of the emulated board does instead of an eCORE's own instructions: TESTSET, sleeping, faults. */
#include "machine.h"

/* What orders nothing is not seen by checks: bells wake only. */
UNSEEN int board_call(int number, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f) {
    struct {
        int number;
        uint32_t a, b, c, d, e, f;
    } words = {number, a, b, c, d, e, f};
    int result;
    __asm__ volatile("pushl %%ebp\n\tmovl 4(%1), %%ebx\n\tmovl 8(%1), %%ecx\n\tmovl 12(%1), %%edx\n\tmovl 20(%1), %%edi\n\t"
                     "movl 24(%1), %%ebp\n\tmovl 16(%1), %%esi\n\tmovl (%1), %%eax\n\tint $0x80\n\tpopl %%ebp"
                     : "=a"(result) : "a"(&words) : "ebx", "ecx", "edx", "esi", "edi", "memory");
    return result;
}

UNSEEN void board_wait(const word *at, uint32_t value, uint32_t milliseconds) {
    const int32_t limit[2] = {(int32_t)(milliseconds / 1000), (int32_t)(milliseconds % 1000 * 1000000)};
    board_call(FUTEX, (uint32_t)at, 0, value, (uint32_t)limit, 0, 0);
}

UNSEEN void board_wake(const word *at) {
    board_call(FUTEX, (uint32_t)at, 1, 0x7fffffff, 0, 0, 0);
}

/* On the chip the word must lie on it (E16G301 data sheet, TESTSET). */
bool chip_testset(word *lock) {
    if ((uint32_t)lock >= EPI_EXTERNAL && (uint32_t)lock < EPI_EXTERNAL + EPI_EXTERNAL_SIZE) __builtin_trap();
    uint32_t none = 0;
    return __atomic_compare_exchange_n(lock, &none, ((uint32_t)self() >> 20), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void lock(word *l) {
    while (!chip_testset(l)) board_call(YIELD, 0, 0, 0, 0, 0, 0);
    if (races_lock != 0) races_lock();
}

void unlock(word *l) {
    if (races_unlock != 0) races_unlock(l);
    __atomic_store_n(l, 0, __ATOMIC_SEQ_CST);
}

UNSEEN void chip_ring(core *c) {
    __atomic_fetch_add(&c->bell, 1, __ATOMIC_SEQ_CST);
    if (c->resting) board_wake(&c->bell);
}

UNSEEN void chip_rest(core *c, uint32_t bell) {
    for (int i = 0; i < 3 && c->bell == bell; i++) board_call(YIELD, 0, 0, 0, 0, 0, 0);
    __atomic_store_n(&c->resting, 1, __ATOMIC_SEQ_CST);
    if (c->bell == bell) board_wait(&c->bell, bell, 50);
    c->resting = 0;
}

/* This machine keeps the order; races.c follows the one of the program. */
void chip_reach(volatile uint8_t *marks, const core *c) {
    (void)c;
    if (races_reach != 0) races_reach(marks);
}

UNSEEN void chip_pause(void) {
    board_call(YIELD, 0, 0, 0, 0, 0, 0);
}

UNSEEN double chip_seconds(void) {
    enum { MONOTONIC = 1 };
    int32_t now[2] = {0, 0};
    board_call(CLOCK_GETTIME, MONOTONIC, (uint32_t)now, 0, 0, 0, 0);
    return now[0] + now[1] * 1e-9;
}

void chip_copy(void *to, const void *from, uint32_t size) {
    __builtin_memcpy(to, from, size);
}

void chip_tell_host(void) {
    __atomic_fetch_add(&control()->host, 1, __ATOMIC_SEQ_CST);
    board_wake(&control()->host);
}
