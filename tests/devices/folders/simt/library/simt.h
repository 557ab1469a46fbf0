// simt.h -- the language of kernels: CUDA's words for lanes and teams, over the fibres of engine.h.
#pragma once
#include "prelude.h"

// After a kernel: its entry, which runs the teams one after another.
#define SIMT_KERNEL(name)                                                                                              \
    extern "C" void simt_##name(void *const *params, const unsigned *grid, const unsigned *block)                      \
    {                                                                                                                  \
        simt_run(ompls_sim_entry<&name, decltype(&name)>::run, params, grid, block);                                   \
    }
void simt_run(void (*run)(void *const *), void *const *params, const unsigned *grid, const unsigned *block);
