// races.cpp -- data races by happens-before, byte by byte.
//
// Two accesses of different threads to one byte race when one writes, not both are atomic, and nothing orders them:
//  * a barrier orders the threads that meet there (CUDA programming guide, "Synchronization Functions"), __syncwarp the
//    lanes of its mask; shuffles and votes order no memory;
//  * a fence and then an atomic operation, an atomic operation of another thread that reads it and then a fence order the
//    two (PTX ISA, "Memory Consistency Model"); volatile accesses count as relaxed atomic ones, as on hardware;
//  * blocks are ordered by fences only; launches always are.
// Threads carry vector clocks: of their own block as an array that all who left a barrier together share, of other blocks
// only when a fence brought something.  A byte remembers its last write and two reads by different threads.
#include <string.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "checks.h"

namespace {

typedef std::vector<uint32_t> Clocks;               // of the threads of one block
typedef std::shared_ptr<const Clocks> Snapshot;
typedef std::unordered_map<uint32_t, Snapshot> World; // by block
typedef std::shared_ptr<const World> Worlds;

struct Thread {
    uint32_t clock;   // counts this thread's releases; its accesses carry it
    Snapshot known;   // of the own block; the own entry does not count
    Worlds elsewhere; // of other blocks; may be 0
    Worlds released;  // what it knew at its last fence: an atomic operation hands it on
    Worlds pending;   // what atomic operations have brought: the next fence takes it over
};

struct Touch {
    uint32_t pc; // 0: never
    uint32_t block, clock;
    uint16_t thread;
    uint16_t atomic;
};
struct Cell {
    Touch write, read, read2;
};

// 4 KiB of memory: a cell for each aligned word, or for each byte of words that were not touched as a whole.
struct Page {
    enum { SIZE = 4096 };
    uint32_t launch;
    bool split[SIZE / 4];
    Cell words[SIZE / 4];
    Cell *bytes;
};

std::unordered_map<uintptr_t, Page *> pages;
Page *last_page;
uintptr_t last_number = ~uintptr_t(0);
std::unordered_map<uintptr_t, Worlds> handed_on; // by the address of the atomic object
uint32_t launch_number;
uint32_t block;
unsigned count;
std::vector<Thread> threads;
Worlds none;

// Not from the heap, which is small: it lies behind the image.
void *carve(size_t size)
{
    enum : size_t { SLAB = 8 << 20 };
    static char *at;
    static size_t left;
    if (left < size) {
        at = ompls_sim_map(SLAB);
        left = SLAB;
    }
    char *got = at;
    at += size;
    left -= size;
    return got;
}

Page &page_of(uintptr_t address)
{
    const uintptr_t number = address / Page::SIZE;
    if (number != last_number) {
        Page *&found = pages[number];
        if (!found) found = static_cast<Page *>(carve(sizeof(Page)));
        last_page = found;
        last_number = number;
    }
    if (last_page->launch != launch_number) {
        Cell *bytes = last_page->bytes;
        memset(last_page, 0, sizeof *last_page);
        last_page->bytes = bytes;
        last_page->launch = launch_number;
    }
    return *last_page;
}

// --- order ------------------------------------------------------------------------------------------------------------

bool ordered(const Touch &before, const Thread &me, unsigned number)
{
    if (before.block == block) return before.thread == number || (*me.known)[before.thread] >= before.clock;
    if (!me.elsewhere) return false;
    const auto found = me.elsewhere->find(before.block);
    return found != me.elsewhere->end() && (*found->second)[before.thread] >= before.clock;
}

Snapshot join(const Snapshot &a, const Snapshot &b)
{
    if (a == b || !b) return a;
    if (!a) return b;
    auto both = std::make_shared<Clocks>(*a);
    for (size_t i = 0; i < both->size(); ++i)
        if ((*b)[i] > (*both)[i]) (*both)[i] = (*b)[i];
    return both;
}

Worlds join(const Worlds &a, const Worlds &b)
{
    if (a == b || !b) return a;
    if (!a) return b;
    auto both = std::make_shared<World>(*a);
    for (const auto &entry : *b) {
        Snapshot &mine = (*both)[entry.first];
        mine = join(mine, entry.second);
    }
    return both;
}

// All that a thread knows, itself included.
Worlds everything(const Thread &t, unsigned number)
{
    auto own = std::make_shared<Clocks>(*t.known);
    (*own)[number] = t.clock;
    auto all = t.elsewhere ? std::make_shared<World>(*t.elsewhere) : std::make_shared<World>();
    (*all)[block] = own;
    return all;
}

// --- one access ---------------------------------------------------------------------------------------------------------

void conflict(const Touch &before, bool wrote, const ompls_sim_access &access, uintptr_t at)
{
    if (!(ompls_sim_checks & SIM_CHECK_RACES)) return;
    ompls_sim_access here = access;
    here.address = at;
    ompls_sim_found(SIM_FOUND_RACE, here, block, before.pc, before.block, before.thread,
                    (wrote ? SIM_FINDING_OTHER_WRITE : 0u) | (before.atomic ? SIM_FINDING_OTHER_ATOMIC : 0u), 0);
}

void look(const Touch &before, bool wrote, const ompls_sim_access &access, const Thread &me, unsigned number, uintptr_t at)
{
    if (before.pc == 0 || (before.atomic && access.atomic) || ordered(before, me, number)) return;
    conflict(before, wrote, access, at);
}

void touch(Cell &cell, const ompls_sim_access &access, const Thread &me, unsigned number, uintptr_t at)
{
    const Touch now = {access.pc, block, me.clock, uint16_t(number), access.atomic};
    look(cell.write, true, access, me, number, at);
    if (access.write) {
        look(cell.read, false, access, me, number, at);
        look(cell.read2, false, access, me, number, at);
        cell.write = now;
        return;
    }
    auto mine = [&](const Touch &t) { return t.pc == 0 || (t.block == block && t.thread == number); };
    if (mine(cell.read) || ordered(cell.read, me, number)) cell.read = now;
    else cell.read2 = now;
}

// The cells of [address, address + size), those of shared memory as this block left them.
template <class F> void each_cell(uintptr_t address, uint32_t size, F visit)
{
    for (uintptr_t at = address, end = address + size; at < end;) {
        Page &page = page_of(at);
        const unsigned offset = at % Page::SIZE, word = offset / 4;
        const bool whole = at % 4 == 0 && end - at >= 4;
        if (!whole && !page.split[word]) {
            if (!page.bytes) page.bytes = static_cast<Cell *>(carve(Page::SIZE * sizeof(Cell)));
            for (unsigned i = 0; i < 4; ++i) page.bytes[word * 4 + i] = page.words[word];
            page.split[word] = true;
        }
        if (page.split[word]) {
            visit(page.bytes[offset], at);
            ++at;
        } else {
            visit(page.words[word], at);
            at += 4;
        }
    }
}

} // namespace

void ompls_sim_race_access(const ompls_sim_access &access, bool shared)
{
    const unsigned number = ompls_sim_linear();
    const Thread &me = threads[number];
    each_cell(access.address, access.size, [&](Cell &cell, uintptr_t at) {
        // Another block had this shared memory before us.
        if (shared && ((cell.write.pc && cell.write.block != block) || (cell.read.pc && cell.read.block != block))) cell = Cell();
        touch(cell, access, me, number, at);
    });
}

bool ompls_sim_shared_unwritten(uintptr_t address, uint32_t size)
{
    bool written = false;
    each_cell(address, size, [&](Cell &cell, uintptr_t) { written = written || (cell.write.pc && cell.write.block == block); });
    return !written;
}

void ompls_sim_race_forget(uintptr_t address, size_t size)
{
    each_cell(address, uint32_t(size), [](Cell &cell, uintptr_t) { cell = Cell(); });
}

// --- what orders --------------------------------------------------------------------------------------------------------

void ompls_sim_race_launch()
{
    ++launch_number;
    handed_on.clear();
}

void ompls_sim_race_block(uint64_t index, unsigned threads_in_it)
{
    block = uint32_t(index);
    count = threads_in_it;
    const auto nothing = std::make_shared<const Clocks>(count, 0);
    threads.assign(count, Thread{1, nothing, none, none, none});
}

void ompls_sim_race_join(const uint16_t *met, unsigned number)
{
    if (number == 0) return;
    auto known = std::make_shared<Clocks>(*threads[met[0]].known);
    const Clocks *seen = threads[met[0]].known.get();
    Worlds elsewhere = threads[met[0]].elsewhere;
    for (unsigned i = 1; i < number; ++i) {
        const Thread &t = threads[met[i]];
        if (t.known.get() != seen) {
            seen = t.known.get();
            for (unsigned k = 0; k < count; ++k)
                if ((*seen)[k] > (*known)[k]) (*known)[k] = (*seen)[k];
        }
        elsewhere = join(elsewhere, t.elsewhere);
    }
    for (unsigned i = 0; i < number; ++i) (*known)[met[i]] = threads[met[i]].clock;
    const Snapshot all = known;
    for (unsigned i = 0; i < number; ++i) {
        Thread &t = threads[met[i]];
        t.known = all;
        t.elsewhere = elsewhere;
        ++t.clock;
    }
}

void ompls_sim_race_fence()
{
    const unsigned number = ompls_sim_linear();
    Thread &me = threads[number];
    if (me.pending) {
        auto rest = std::make_shared<World>(*me.pending);
        const auto own = rest->find(block);
        if (own != rest->end()) {
            me.known = join(me.known, own->second);
            rest->erase(own);
        }
        me.elsewhere = join(me.elsewhere, rest);
        me.pending = none;
    }
    me.released = everything(me, number);
    ++me.clock;
}

void ompls_sim_race_acquire(uintptr_t address)
{
    if (handed_on.empty()) return;
    const auto found = handed_on.find(address);
    if (found == handed_on.end()) return;
    Thread &me = threads[ompls_sim_linear()];
    me.pending = join(me.pending, found->second);
}

void ompls_sim_race_release(uintptr_t address)
{
    const Thread &me = threads[ompls_sim_linear()];
    if (!me.released) return;
    Worlds &there = handed_on[address];
    there = join(there, me.released);
}
