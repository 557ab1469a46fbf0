// access.cpp -- every access of an instrumented kernel arrives here: whose memory is it, may it be touched?
//
// Global memory has a byte of state for each of its bytes, which the host keeps (allocated, written) and kernels extend.
// A thread's own stack is nobody's business; somebody else's is unreachable on a GPU (local memory).
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

unsigned ompls_sim_checks;

extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern char __data_start[] __attribute__((weak));
extern char etext[], end[];
}

namespace {

sim_control *control;
uint64_t arena, arena_bytes;
uint8_t *states;
uintptr_t shared_low, shared_high; // the worker's thread-local storage
uint64_t block;

void find_shared()
{
    const auto *header = reinterpret_cast<const Elf64_Ehdr *>(__ehdr_start);
    const auto *segments = reinterpret_cast<const Elf64_Phdr *>(__ehdr_start + header->e_phoff);
    const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
    for (int i = 0; i < header->e_phnum; ++i) {
        if (segments[i].p_type != PT_TLS) continue;
        const uintptr_t align = segments[i].p_align, size = (segments[i].p_memsz + align - 1) / align * align;
#if defined(__aarch64__)
        shared_low = here + (16 > align ? 16 : align); // variant I: after the thread control block
        shared_high = shared_low + size;
#else
        shared_low = here - size; // variant II: before it
        shared_high = here;
#endif
    }
}

bool own_stack(uintptr_t address)
{
    uintptr_t low, high;
    ompls_sim_own_stack(&low, &high);
    return address >= low && address < high;
}

[[noreturn]] void fault(const ompls_sim_access &access, const char *format)
{
    control->fault = access.write ? 2 : 1;
    control->fault_address = access.address;
    ompls_sim_fault(reinterpret_cast<const void *>(uintptr_t(access.pc)), format, access.write ? "wrote" : "read",
                    static_cast<unsigned long long>(access.address));
}

// The first byte of the access that may not be touched, else its end.  A structure may be copied with what lies between its
// mapped members, which may be padding.
uintptr_t first_wrong(const ompls_sim_access &access)
{
    const uintptr_t end = access.address + access.size;
    uintptr_t left_out = end;
    bool some = false;
    for (uintptr_t at = access.address; at < end; ++at) {
        const uint8_t state = states[at - arena];
        if (state < SIM_STATE_LEFT_OUT) return at;
        if (state >= SIM_STATE_ALLOCATED) some = true;
        else if (left_out == end) left_out = at;
    }
    return some ? end : left_out;
}

void global(ompls_sim_access access)
{
    if (states) {
        // What is not allocated has no value either: the advice of a read that nobody has written would be wrong there.
        if (ompls_sim_checks & (access.write ? SIM_CHECK_MEMORY : SIM_CHECK_MEMORY | SIM_CHECK_UNINIT)) {
            const uintptr_t wrong = first_wrong(access);
            if (wrong != access.address + access.size) {
                access.address = wrong;
                fault(access, states[wrong - arena] == SIM_STATE_FREED
                                  ? "%s device address 0x%llx, which was freed"
                                  : "%s device address 0x%llx, which is not allocated");
            }
        }
        uint8_t *first = states + (access.address - arena);
        if (access.write) {
            memset(first, SIM_STATE_WRITTEN, access.size);
        } else if ((ompls_sim_checks & SIM_CHECK_UNINIT) && *first != SIM_STATE_WRITTEN) {
            // A structure may be copied with its holes: only what has no value at all is told.
            const uint8_t *byte = first;
            while (byte < first + access.size && *byte != SIM_STATE_WRITTEN) ++byte;
            if (byte == first + access.size) ompls_sim_found(SIM_FOUND_UNINIT, access, uint32_t(block), 0, 0, 0, 0, 0);
        }
    }
    if (ompls_sim_checks & SIM_CHECK_RACES) ompls_sim_race_access(access, false);
    if (ompls_sim_checks & SIM_CHECK_COALESCING) ompls_sim_pattern_access(access, false);
}

void in_shared(const ompls_sim_access &access)
{
    const uintptr_t current = reinterpret_cast<uintptr_t>(&ompls_sim_current);
    if (access.address >= current && access.address < current + sizeof ompls_sim_current) return; // threadIdx and the like
    const uintptr_t dynamic = reinterpret_cast<uintptr_t>(ompls_sim_dynamic_shared);
    if ((ompls_sim_checks & SIM_CHECK_MEMORY) && access.address >= dynamic && access.address < dynamic + SIM_MAX_SHARED &&
        access.address + access.size > dynamic + control->dynamic_shared)
        ompls_sim_fail(reinterpret_cast<const void *>(uintptr_t(access.pc)),
                       "%s byte %llu of dynamic shared memory: the launch asks for %u", access.write ? "wrote" : "read",
                       static_cast<unsigned long long>(access.address - dynamic), control->dynamic_shared);
    if (!access.write && (ompls_sim_checks & SIM_CHECK_UNINIT) && ompls_sim_shared_unwritten(access.address, access.size))
        ompls_sim_found(SIM_FOUND_UNINIT, access, uint32_t(block), 0, 0, 0, 0, 0);
    ompls_sim_race_access(access, true); // also keeps what was written
    if (ompls_sim_checks & SIM_CHECK_BANKS) ompls_sim_pattern_access(access, true);
}

void see(const void *address, size_t size, bool write, bool atomic, const void *pc)
{
    const ompls_sim_access access = {reinterpret_cast<uintptr_t>(address), uint32_t(size),
                                     uint32_t(reinterpret_cast<uintptr_t>(pc)), write, atomic};
    const uintptr_t at = access.address;
    if (own_stack(at)) return;
    if (at - arena < arena_bytes) return global(access);
    if (at >= shared_low && at < shared_high) return in_shared(access);
    if (at >= SIM_IMAGE_BASE && at < SIM_IMAGE_BASE + SIM_IMAGE_SIZE) {
        if (at >= reinterpret_cast<uintptr_t>(etext) && (ompls_sim_checks & SIM_CHECK_RACES)) ompls_sim_race_access(access, false);
        return;
    }
    if ((ompls_sim_checks & SIM_CHECK_MEMORY) && at >= SIM_INTERNAL_BASE && at < SIM_INTERNAL_BASE + SIM_INTERNAL_SIZE)
        ompls_sim_found(SIM_FOUND_LOCAL, access, uint32_t(block), 0, 0, 0, 0, 0);
    // Anything else is the host's: the access itself will fault.
}

} // namespace

void ompls_sim_check_launch(sim_control *page, uint64_t base, uint64_t bytes)
{
    control = page;
    arena = base;
    arena_bytes = bytes;
    states = ompls_sim_check_states();
    ompls_sim_checks = page->checks;
    find_shared();
    ompls_sim_race_launch();
}
void ompls_sim_check_launch_end() { ompls_sim_pattern_launch_end(); }
void ompls_sim_check_block(uint64_t index, unsigned count)
{
    block = index;
    ompls_sim_race_block(index, count);
}
void ompls_sim_check_block_end() { ompls_sim_pattern_block_end(); }
void ompls_sim_check_join(const uint16_t *threads, unsigned number) { ompls_sim_race_join(threads, number); }

void ompls_sim_found(uint32_t kind, const ompls_sim_access &access, uint32_t in_block, uint32_t other_pc, uint32_t other_block,
                     uint32_t other_thread, uint32_t flags, double figure)
{
    for (uint32_t i = 0; i < control->nfindings; ++i) {
        const sim_finding &f = control->findings[i];
        if (f.kind == kind && ((f.pc == access.pc && f.other_pc == other_pc) || (f.pc == other_pc && f.other_pc == access.pc))) return;
    }
    if (control->nfindings == SIM_MAX_FINDINGS) return;
    sim_finding &f = control->findings[control->nfindings];
    f = {kind,  flags | (access.write ? SIM_FINDING_WRITE : 0u) | (access.atomic ? SIM_FINDING_ATOMIC : 0u), access.address, access.size,
         access.pc, other_pc, in_block, ompls_sim_linear(), other_block, other_thread, figure, 0};
    if (access.address >= shared_low && access.address < shared_high) f.shared = 1 + uint32_t(access.address - shared_low);
    ++control->nfindings;
}

// --- called by instrumented code --------------------------------------------------------------------------------------

#define HERE __builtin_return_address(0)
#define ACCESS(size)                                                                                                   \
    void __tsan_read##size(void *p) { see(p, size, false, false, HERE); }                                              \
    void __tsan_write##size(void *p) { see(p, size, true, false, HERE); }                                              \
    void __tsan_unaligned_read##size(void *p) { see(p, size, false, false, HERE); }                                    \
    void __tsan_unaligned_write##size(void *p) { see(p, size, true, false, HERE); }                                    \
    void __tsan_volatile_read##size(void *p)                                                                           \
    {                                                                                                                  \
        see(p, size, false, true, HERE);                                                                               \
        ompls_sim_race_acquire(reinterpret_cast<uintptr_t>(p));                                                        \
    }                                                                                                                  \
    void __tsan_volatile_write##size(void *p)                                                                          \
    {                                                                                                                  \
        see(p, size, true, true, HERE);                                                                                \
        ompls_sim_race_release(reinterpret_cast<uintptr_t>(p));                                                        \
    }                                                                                                                  \
    void __tsan_unaligned_volatile_read##size(void *p) { see(p, size, false, true, HERE); }                            \
    void __tsan_unaligned_volatile_write##size(void *p) { see(p, size, true, true, HERE); }

namespace {
template <typename T> void before_atomic(T *p, const void *pc, bool write)
{
    see(p, sizeof(T), write, true, pc);
    ompls_sim_race_acquire(reinterpret_cast<uintptr_t>(p));
    if (write) ompls_sim_race_release(reinterpret_cast<uintptr_t>(p));
}
// Swapping a word in which only one byte is meant touches only that byte: the others were compared, not changed.
template <typename T> bool swap(T *p, T *expected, T desired, const void *pc)
{
    const T old = *expected;
    ompls_sim_race_acquire(reinterpret_cast<uintptr_t>(p));
    if (*p != old) {
        *expected = *p;
        return false;
    }
    unsigned first = 0, last = sizeof(T);
    auto byte = [](T v, unsigned i) { return uint8_t(v >> (8 * i)); };
    while (first < last && byte(old, first) == byte(desired, first)) ++first;
    while (last > first && byte(old, last - 1) == byte(desired, last - 1)) --last;
    if (first != last) see(reinterpret_cast<char *>(p) + first, last - first, true, true, pc);
    ompls_sim_race_release(reinterpret_cast<uintptr_t>(p));
    *p = desired;
    return true;
}
} // namespace

#define ATOMIC_UPDATE(bits, T, name)                                                                                   \
    T __tsan_atomic##bits##_##name(T *p, T v, int)                                                                     \
    {                                                                                                                  \
        before_atomic(p, HERE, true);                                                                                  \
        return __atomic_##name(p, v, __ATOMIC_SEQ_CST);                                                                \
    }
#define ATOMIC(bits, T)                                                                                                \
    ATOMIC_UPDATE(bits, T, fetch_add)                                                                                  \
    ATOMIC_UPDATE(bits, T, fetch_sub)                                                                                  \
    ATOMIC_UPDATE(bits, T, fetch_and)                                                                                  \
    ATOMIC_UPDATE(bits, T, fetch_or)                                                                                   \
    ATOMIC_UPDATE(bits, T, fetch_xor)                                                                                  \
    ATOMIC_UPDATE(bits, T, fetch_nand)                                                                                 \
    T __tsan_atomic##bits##_exchange(T *p, T v, int)                                                                   \
    {                                                                                                                  \
        before_atomic(p, HERE, true);                                                                                  \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                                  \
    T __tsan_atomic##bits##_load(const T *p, int)                                                                      \
    {                                                                                                                  \
        before_atomic(const_cast<T *>(p), HERE, false);                                                                \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                   \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(T *p, T v, int)                                                                   \
    {                                                                                                                  \
        before_atomic(p, HERE, true);                                                                                  \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                      \
    }                                                                                                                  \
    bool __tsan_atomic##bits##_compare_exchange_strong(T *p, T *expected, T v, int, int) { return swap(p, expected, v, HERE); }    \
    bool __tsan_atomic##bits##_compare_exchange_weak(T *p, T *expected, T v, int, int) { return swap(p, expected, v, HERE); }      \
    T __tsan_atomic##bits##_compare_exchange_val(T *p, T expected, T v, int, int)                                      \
    {                                                                                                                  \
        swap(p, &expected, v, HERE);                                                                                   \
        return expected;                                                                                               \
    }

extern "C" {
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
void __tsan_read_range(void *p, unsigned long size) { see(p, size, false, false, HERE); }
void __tsan_write_range(void *p, unsigned long size) { see(p, size, true, false, HERE); }
void __tsan_atomic_thread_fence(int) { ompls_sim_race_fence(); }
void __tsan_atomic_signal_fence(int) {}
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
// What the C library does on a kernel's behalf (prelude.h).
void ompls_sim_see_range(const void *p, size_t size, int write)
{
    if (size != 0) see(p, size, write != 0, false, HERE);
}
// Memory that malloc gives a kernel may have been another thread's.
void *ompls_sim_new_memory(void *p, size_t size)
{
    if (p) ompls_sim_race_forget(reinterpret_cast<uintptr_t>(p), size);
    return p;
}
}
