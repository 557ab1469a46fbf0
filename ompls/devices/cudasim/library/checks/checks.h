// checks.h -- what the checks of `--check` and the engine tell each other.
//
// In check mode the kernels are compiled with gcc's -fsanitize=thread, whose calls (__tsan_read4, …) arrive in access.cpp
// with every access to memory.  races.cpp keeps who touched which byte, patterns.cpp how a warp's lanes touch memory
// together; the host's half (host/findings.c) turns addresses and program counters into names and lines.
// Blocks run one after another then: what is a race does not depend on what happened to run at once.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "../engine.h"
#include "../protocol.h"

#ifdef OMPLS_SIM_CHECK
constexpr bool ompls_sim_checking = true;
#else
constexpr bool ompls_sim_checking = false;
#endif

// --- from the engine and the process --------------------------------------------------------------------------------
void ompls_sim_check_launch(sim_control *control, uint64_t arena, uint64_t arena_bytes);
void ompls_sim_check_launch_end();
void ompls_sim_check_block(uint64_t index, unsigned count);
void ompls_sim_check_block_end();
// These threads of the block (ascending) have met: what each did before happens before what any does from now on.
void ompls_sim_check_join(const uint16_t *threads, unsigned number);
uint8_t *ompls_sim_check_states(); // of the arena's bytes; 0 when the host keeps none

// --- from the engine ------------------------------------------------------------------------------------------------
// The stack of the current thread, and where the stacks of all threads are.
void ompls_sim_own_stack(uintptr_t *low, uintptr_t *high);

// --- between the checks ---------------------------------------------------------------------------------------------
struct ompls_sim_access {
    uintptr_t address;
    uint32_t size;
    uint32_t pc;
    bool write, atomic;
};
extern unsigned ompls_sim_checks; // SIM_CHECK_… of this launch
// What is reported: once for each kind and pair of places.
void ompls_sim_found(uint32_t kind, const ompls_sim_access &access, uint32_t block, uint32_t other_pc, uint32_t other_block,
                     uint32_t other_thread, uint32_t flags, double figure);

// races.cpp.  `shared`: the block's own memory.  True when (one byte of) it was never written by this block.
void ompls_sim_race_access(const ompls_sim_access &access, bool shared);
bool ompls_sim_shared_unwritten(uintptr_t address, uint32_t size);
void ompls_sim_race_fence();
void ompls_sim_race_acquire(uintptr_t address);
void ompls_sim_race_release(uintptr_t address);
void ompls_sim_race_forget(uintptr_t address, size_t size); // new memory: nobody touched it
void ompls_sim_race_launch();
void ompls_sim_race_block(uint64_t index, unsigned count);
void ompls_sim_race_join(const uint16_t *threads, unsigned number);

// patterns.cpp
void ompls_sim_pattern_access(const ompls_sim_access &access, bool shared);
void ompls_sim_pattern_block_end();
void ompls_sim_pattern_launch_end();
