// engine.cpp -- fibres, barriers and warps of one block; see engine.h.
//
// A thread that waits is in exactly one list: of a barrier, of its warp's operation, or of the ready queue (first come,
// first served, so that a run is deterministic).  When nothing is ready and nothing is left to start, the block can never
// end: that is reported with who waits where, and the process ends, as a GPU's context would be lost.
#include "engine.h"

#include <sched.h>
#include <stdio.h>

#include <new>

#include "checks/checks.h"
#include "fibre.h"
#include "protocol.h"

__thread ompls_sim_block ompls_sim_current;
__thread char ompls_sim_dynamic_shared[SIM_MAX_SHARED] __attribute__((aligned(128)));

namespace {

constexpr unsigned WARP = 32, BARRIERS = 16;
constexpr bool LOCKSTEP = SIM_ARCH < 70; // a warp arrives at barriers as a whole
// CUDA gives a thread up to 512 KiB of local memory; only what is touched takes memory.
constexpr size_t STACK = 544 << 10;

enum class State : uint8_t { unstarted, runnable, at_barrier, at_warp, reconverging, exited };

struct Fibre {
    void *context = nullptr;
    uint3 thread;
    unsigned linear;
    Fibre *next = nullptr; // in a list
};

struct Thread {
    State state;
    uint8_t barrier;
    ompls_sim_operation operation;
    unsigned mask;
    int source;
    uint64_t value, result;
    const void *pc;
    Fibre *fibre;
};

struct List {
    Fibre *head = nullptr, *tail = nullptr;
    void push(Fibre *f)
    {
        f->next = nullptr;
        (tail ? tail->next : head) = f;
        tail = f;
    }
    Fibre *pop()
    {
        Fibre *f = head;
        if (f && !(head = f->next)) tail = nullptr;
        return f;
    }
};

struct Barrier {
    List waiting;
    unsigned arrived, expected; // expected is 0 for "all that have not exited"
    unsigned here;              // threads that wait, without the lanes that do not exist
    bool open;                  // someone waits
    unsigned votes, result;     // of __syncthreads_count
};

struct Warp {
    unsigned waiting; // lanes that wait in a warp operation
    unsigned absent;  // lanes that have left the kernel, or that a partial warp lacks
    unsigned parked;  // LOCKSTEP: lanes that wait for the others to reconverge
    unsigned there;   // lanes that wait at barrier `barrier`, to which they came in line `line` (0: not known)
    unsigned barrier, line;
};

struct Worker {
    void *scheduler = nullptr; // the context that runs blocks
    Fibre *current = nullptr;
    List ready, idle;
    unsigned live; // threads that have not exited
    void (*run)(void *const *);
    void *const *params;
    Barrier barriers[BARRIERS];
    Warp warps[SIM_MAX_THREADS / WARP];
    Thread threads[SIM_MAX_THREADS];
    unsigned fibres = 0;
};

__thread Worker *worker;

void fibre_main();

Fibre *new_fibre(Worker &w)
{
    if (Fibre *f = w.idle.pop()) return f;
    char *stack = ompls_sim_map(STACK);
    // Stacks a power of two apart would compete for the same cache lines.
    char *top = stack + STACK - 320 * (w.fibres++ % 64) - sizeof(Fibre);
    Fibre *f = new (reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(63))) Fibre;
    f->context = ompls_sim_prepare(reinterpret_cast<char *>(f), fibre_main);
    return f;
}

void resume(Worker &w, Fibre *f)
{
    w.current = f;
    ompls_sim_current.thread = f->thread;
    ompls_sim_current.linear = f->linear;
}

// Take the next thread that has not started.
void take(Worker &w)
{
    ompls_sim_block &b = ompls_sim_current;
    const unsigned linear = b.next++, x = b.block_dim.x, y = b.block_dim.y;
    b.linear = linear;
    b.thread = {linear % x, linear / x % y, linear / x / y};
    if (b.waited) w.threads[linear].state = State::runnable;
}

// The block's first wait: until now threads ran to their end one after another.
void start_tracking(Worker &w)
{
    ompls_sim_block &b = ompls_sim_current;
    b.linear = b.next - 1;
    b.waited = true;
    w.live = b.count - b.linear;
    for (unsigned i = 0; i < b.count; ++i)
        w.threads[i].state = i < b.linear ? State::exited : i == b.linear ? State::runnable : State::unstarted;
    for (unsigned first = 0; first < b.count; first += WARP) {
        Warp &warp = w.warps[first / WARP];
        warp.waiting = warp.parked = warp.there = 0;
        warp.absent = b.linear >= first + WARP ? ~0u : b.linear > first ? (1u << (b.linear - first)) - 1 : 0;
        if (b.count - first < WARP) warp.absent |= ~0u << (b.count - first);
    }
    for (Barrier &barrier : w.barriers) {
        barrier.waiting = List();
        barrier.arrived = barrier.here = barrier.votes = 0;
        barrier.open = false;
    }
}

[[noreturn]] void deadlock(Worker &w)
{
    const ompls_sim_block &b = ompls_sim_current;
    char text[384];
    int used = 0;
    const void *pc = nullptr;
    auto say = [&](const char *what, unsigned waiting, int number) {
        if (used < int(sizeof text) - 80)
            used += snprintf(text + used, sizeof text - used, what, used ? "; " : "", waiting, b.count, number);
    };
    for (unsigned id = 0; id < BARRIERS; ++id)
        if (w.barriers[id].open) say("%s%u of %u threads wait at barrier %d", w.barriers[id].here, int(id));
    unsigned at_warp = 0;
    for (unsigned i = 0; i < b.count; ++i) {
        at_warp += w.threads[i].state == State::at_warp;
        if (!pc && (w.threads[i].state == State::at_warp || w.threads[i].state == State::at_barrier)) pc = w.threads[i].pc;
    }
    if (at_warp) say("%s%u of %u threads wait for other lanes of their warps", at_warp, 0);
    ompls_sim_fail(pc, "deadlock in block (%u,%u,%u): %s, %u left the kernel", b.block.x, b.block.y, b.block.z, text,
                   b.count - w.live);
}

// The current thread cannot go on: run something else.  Returns when it has been made ready and its turn has come.
void wait(Worker &w)
{
    ompls_sim_block &b = ompls_sim_current;
    Fibre *me = w.current, *other;
    me->thread = b.thread;
    me->linear = b.linear;
    if (b.next < b.count) {
        other = new_fibre(w); // its loop takes the next thread
        w.current = other;
    } else if ((other = w.ready.pop())) {
        if (other == me) return;
        resume(w, other);
    } else {
        deadlock(w);
    }
    ompls_sim_switch(&me->context, other->context);
}

void make_ready(Worker &w, Fibre *f)
{
    w.threads[f->linear].state = State::runnable;
    w.ready.push(f);
}

// For the checks: who meets at this barrier.  A __syncthreads() also waits for those that leave.
void tell_who_met(Worker &w, unsigned id)
{
    const ompls_sim_block &b = ompls_sim_current;
    uint16_t met[SIM_MAX_THREADS];
    unsigned number = 0;
    for (unsigned i = 0; i < b.count; ++i) {
        const Thread &t = w.threads[i];
        if (t.state == State::at_barrier ? t.barrier == id : t.state == State::exited ? id == 0 : i == b.linear) met[number++] = uint16_t(i);
    }
    ompls_sim_check_join(met, number);
}

// All but the current thread, which arrived last and goes on.
void release(Worker &w, Barrier &barrier)
{
    const unsigned id = unsigned(&barrier - w.barriers);
    if (ompls_sim_checking) tell_who_met(w, id);
    for (unsigned i = 0; i * WARP < ompls_sim_current.count; ++i)
        if (w.warps[i].barrier == id) w.warps[i].there = 0;
    barrier.result = barrier.votes;
    barrier.votes = barrier.arrived = barrier.here = 0;
    barrier.open = false;
    List waiting = barrier.waiting;
    barrier.waiting = List();
    while (Fibre *f = waiting.pop()) make_ready(w, f);
}

void stay_at(Worker &w, unsigned id, const void *pc)
{
    Barrier &barrier = w.barriers[id];
    barrier.open = true;
    w.current->linear = ompls_sim_current.linear;
    Thread &me = w.threads[w.current->linear];
    me.state = State::at_barrier;
    me.barrier = uint8_t(id);
    me.pc = pc;
    barrier.waiting.push(w.current);
    wait(w);
}

Worker &tracked()
{
    Worker &w = *worker;
    if (!ompls_sim_current.waited) start_tracking(w);
    return w;
}

// The lanes of a warp execute the same barrier, and the same instruction of it when it is .aligned, as __syncthreads() is
// (PTX ISA, "bar, barrier").  `line` is 0 where that is not known.
Warp &meet(Worker &w, unsigned id, unsigned line, const void *pc)
{
    const unsigned me = ompls_sim_current.linear;
    Warp &warp = w.warps[me / WARP];
    if (warp.there == 0) {
        warp.barrier = id;
        warp.line = line;
    } else if (warp.barrier != id || (line && warp.line != line)) {
        const unsigned other = me / WARP * WARP + unsigned(__builtin_ctz(warp.there));
        if (warp.barrier != id)
            ompls_sim_fail(pc, "lanes of one warp are at different barriers: thread %u at barrier %u, thread %u at barrier %u", me,
                           id, other, warp.barrier);
        ompls_sim_fail(pc, "lanes of one warp are at different __syncthreads(): thread %u in line %u, thread %u in line %u", me,
                       line, other, warp.line);
    }
    warp.there |= 1u << me % WARP;
    return warp;
}

unsigned arrive_all(bool value, unsigned line, const void *pc)
{
    Worker &w = tracked();
    Barrier &barrier = w.barriers[0];
    meet(w, 0, line, pc);
    barrier.votes += value;
    barrier.expected = 0;
    ++barrier.here;
    if (++barrier.arrived == w.live) release(w, barrier);
    else stay_at(w, 0, pc);
    return barrier.result;
}

// --- warps that arrive as a whole (before sm_70) --------------------------------------------------------------------
// "If any thread in a warp executes a bar instruction, it is as if all the threads in the warp have executed it" (PTX ISA,
// "bar, barrier", .target sm_6x or below).  Here lanes run one after another, so the warp has arrived when each of its
// lanes is there, has left, or waits where the lanes reconverge.

// Count the warp in, if it is complete now.  True: it was the last one that the barrier expects.
bool arrived_whole(Worker &w, Warp &warp)
{
    if (warp.there == 0 || warp.barrier == 0 || (warp.there | warp.parked | warp.absent) != ~0u) return false;
    Barrier &barrier = w.barriers[warp.barrier];
    barrier.arrived += WARP;
    if (barrier.arrived < barrier.expected) return false;
    release(w, barrier);
    return true;
}

// Let the lanes go on together, if all are there.
bool reconverged(Worker &w, Warp &warp)
{
    if (warp.parked == 0 || (warp.parked | warp.absent) != ~0u) return false;
    const unsigned first = unsigned(&warp - w.warps) * WARP, me = ompls_sim_current.linear;
    for (unsigned lane = 0; lane < WARP; ++lane)
        if (warp.parked >> lane & 1 && first + lane != me) make_ready(w, w.threads[first + lane].fibre);
    warp.parked = 0;
    return true;
}

// --- warps --------------------------------------------------------------------------------------------------------

// All lanes of `mask` have arrived: what each of them gets.  Results are computed now, since a lane that goes on may
// deposit its next value before another has read this one.
void complete(Worker &w, unsigned first, unsigned mask, ompls_sim_operation operation)
{
    if (ompls_sim_checking && operation == OMPLS_SIM_SYNC) {
        uint16_t met[WARP];
        unsigned number = 0;
        for (unsigned lane = 0; lane < WARP; ++lane)
            if (mask >> lane & 1) met[number++] = uint16_t(first + lane);
        ompls_sim_check_join(met, number);
    }
    uint64_t ballot = 0;
    for (unsigned lane = 0; lane < WARP; ++lane)
        if (mask >> lane & 1 && w.threads[first + lane].value) ballot |= 1ull << lane;
    for (unsigned lane = 0; lane < WARP; ++lane) {
        if (!(mask >> lane & 1)) continue;
        Thread &t = w.threads[first + lane];
        if (operation == OMPLS_SIM_SHUFFLE) {
            // From a lane that is not in the mask the result is undefined (CUDA programming guide): certainly not useful.
            t.result = mask >> t.source & 1 ? w.threads[first + t.source].value : 0x7ff7dead7ff7deadull;
        } else if (operation == OMPLS_SIM_BALLOT) {
            t.result = ballot;
        } else if (operation == OMPLS_SIM_MATCH) {
            t.result = 0;
            for (unsigned other = 0; other < WARP; ++other)
                if (mask >> other & 1 && w.threads[first + other].value == t.value) t.result |= 1ull << other;
        }
    }
}

// --- running ------------------------------------------------------------------------------------------------------

// What every fibre runs: threads that have not started, then nothing until it is needed again.
void fibre_main()
{
    Worker &w = *worker; // a fibre stays with its worker
    for (;;) {
        take(w);
        w.run(w.params);
        Fibre *me = w.current;
        w.idle.push(me);
        if (Fibre *other = w.ready.pop()) {
            resume(w, other);
            ompls_sim_switch(&me->context, other->context);
        } else {
            w.current = nullptr;
            ompls_sim_switch(&me->context, w.scheduler);
        }
    }
}

} // namespace

bool ompls_sim_exited()
{
    Worker &w = *worker;
    ompls_sim_block &b = ompls_sim_current;
    if (b.waited) {
        w.threads[b.linear].state = State::exited;
        Warp &warp = w.warps[b.linear / WARP];
        warp.absent |= 1u << b.linear % WARP;
        --w.live;
        if (LOCKSTEP) {
            arrived_whole(w, warp);
            reconverged(w, warp);
        }
        Barrier &all = w.barriers[0];
        if (all.open && all.expected == 0 && all.arrived == w.live) release(w, all);
    }
    if (b.next < b.count) {
        take(w);
        return true;
    }
    if (b.waited && w.live > 0 && !w.ready.head) deadlock(w);
    return false;
}

void ompls_sim_syncthreads(unsigned line) { arrive_all(false, line, __builtin_return_address(0)); }
unsigned ompls_sim_syncthreads_count(bool value, unsigned line) { return arrive_all(value, line, __builtin_return_address(0)); }

void ompls_sim_barrier(int id, int threads)
{
    const void *pc = __builtin_return_address(0);
    if (id < 0 || id >= int(BARRIERS)) ompls_sim_fail(pc, "there is no barrier %d: a block has 16", id);
    if (threads <= 0 || threads % WARP) ompls_sim_fail(pc, "barrier %d expects %d threads, not a multiple of 32", id, threads);
    Worker &w = tracked();
    Barrier &barrier = w.barriers[id];
    if (barrier.open && barrier.expected != unsigned(threads))
        ompls_sim_fail(pc, "barrier %d expects %u threads, now %d", id, barrier.expected, threads);
    // Lanes that the block's last warp lacks count as arrived with the first of its lanes.
    const ompls_sim_block &b = ompls_sim_current;
    const unsigned missing = b.linear / WARP == b.count / WARP && !w.warps[b.linear / WARP].there ? WARP - b.count % WARP : 0;
    Warp &warp = meet(w, unsigned(id), 0, pc);
    barrier.expected = unsigned(threads);
    ++barrier.here;
    if (LOCKSTEP) {
        if (!arrived_whole(w, warp)) stay_at(w, unsigned(id), pc);
        return;
    }
    barrier.arrived += 1 + missing;
    if (barrier.arrived > barrier.expected)
        ompls_sim_fail(pc, "%u threads arrive at barrier %d, which expects %d", barrier.arrived, id, threads);
    if (barrier.arrived == barrier.expected) release(w, barrier);
    else stay_at(w, unsigned(id), pc);
}

void ompls_sim_reconverge()
{
    if (!LOCKSTEP) return;
    Worker &w = tracked();
    const unsigned me = ompls_sim_current.linear;
    Warp &warp = w.warps[me / WARP];
    warp.parked |= 1u << me % WARP;
    arrived_whole(w, warp);
    if (reconverged(w, warp)) return;
    w.current->linear = me;
    w.threads[me].state = State::reconverging;
    w.threads[me].pc = __builtin_return_address(0);
    w.threads[me].fibre = w.current;
    wait(w);
}

void ompls_sim_trap() { ompls_sim_fail(__builtin_return_address(0), "the kernel called __trap()"); }

void ompls_sim_misaligned() { ompls_sim_fail(__builtin_return_address(0), "a misaligned address of an atomic operation"); }

void ompls_sim_local_atomic()
{
    ompls_sim_fail(__builtin_return_address(0), "an atomic operation on a variable of one thread (local memory)");
}

void ompls_sim_wrong_width(int width)
{
    ompls_sim_fail(__builtin_return_address(0), "a shuffle of width %d: a power of two up to 32 is possible", width);
}

void ompls_sim_yield()
{
    Worker &w = tracked();
    w.current->linear = ompls_sim_current.linear;
    if (!w.ready.head && ompls_sim_current.next == ompls_sim_current.count) {
        sched_yield(); // only another block can change anything
        return;
    }
    w.ready.push(w.current);
    wait(w);
}

uint64_t ompls_sim_warp(ompls_sim_operation operation, unsigned mask, uint64_t value, int source)
{
    const void *pc = __builtin_return_address(0);
    Worker &w = tracked();
    const unsigned linear = ompls_sim_current.linear, first = linear / WARP * WARP, lane = linear % WARP;
    if (!(mask >> lane & 1)) ompls_sim_fail(pc, "lane %u calls a warp function with mask %#x, which lacks it", lane, mask);
    Warp &warp = w.warps[linear / WARP];
    if (const unsigned lost = warp.absent & mask) {
        const unsigned other = unsigned(__builtin_ctz(lost));
        ompls_sim_fail(pc, "lane %u waits for lane %u of its warp (mask %#x), which %s", lane, other, mask,
                       first + other >= ompls_sim_current.count ? "does not exist" : "has left the kernel");
    }
    Thread &me = w.threads[linear];
    me.operation = operation;
    me.mask = mask;
    me.value = value;
    me.source = source & 31;
    me.pc = pc;
    bool all = (warp.waiting & mask) == (mask & ~(1u << lane));
    for (unsigned i = 0; all && i < WARP; ++i) {
        if (i == lane || !(mask >> i & 1)) continue;
        const Thread &other = w.threads[first + i];
        if (other.mask != mask) all = false; // it waits for something else, and may still come
        else if (other.operation != operation)
            ompls_sim_fail(pc, "lanes %u and %u of a warp wait for each other in different warp functions (mask %#x)", lane, i, mask);
    }
    if (!all) {
        w.current->linear = linear;
        me.state = State::at_warp;
        warp.waiting |= 1u << lane;
        me.fibre = w.current;
        wait(w);
        return me.result;
    }
    warp.waiting &= ~mask;
    complete(w, first, mask, operation);
    for (unsigned i = 0; i < WARP; ++i)
        if (i != lane && mask >> i & 1) make_ready(w, w.threads[first + i].fibre);
    return me.result;
}

void ompls_sim_run_block(const ompls_sim_launch &launch, uint64_t index)
{
    if (!worker) worker = new (ompls_sim_map(sizeof(Worker))) Worker();
    Worker &w = *worker;
    ompls_sim_block &b = ompls_sim_current;
    const uint3 grid = launch.grid, block = launch.block;
    b.block = {unsigned(index % grid.x), unsigned(index / grid.x % grid.y), unsigned(index / grid.x / grid.y)};
    b.block_dim = block;
    b.grid_dim = grid;
    b.count = block.x * block.y * block.z;
    b.next = 0;
    b.waited = false;
    w.run = launch.run;
    w.params = launch.params;
    w.current = new_fibre(w);
    if (ompls_sim_checking) ompls_sim_check_block(index, b.count);
    ompls_sim_switch(&w.scheduler, w.current->context);
    if (ompls_sim_checking) ompls_sim_check_block_end();
}

void ompls_sim_own_stack(uintptr_t *low, uintptr_t *high)
{
    const uintptr_t top = reinterpret_cast<uintptr_t>(worker->current); // it lies at the end of its stack
    *low = top - STACK;
    *high = top + sizeof(Fibre);
}

bool ompls_sim_on_stack(const volatile void *p)
{
    uintptr_t low, high;
    ompls_sim_own_stack(&low, &high);
    return reinterpret_cast<uintptr_t>(p) >= low && reinterpret_cast<uintptr_t>(p) < high;
}

void ompls_sim_leave_stack(char *top, void (*entry)())
{
    void *left;
    ompls_sim_switch(&left, ompls_sim_prepare(top, entry));
}
