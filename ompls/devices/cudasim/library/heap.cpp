// heap.cpp -- malloc and free in kernels.  A GPU's heap has a fixed size (CUDA C++ Programming Guide, "Dynamic Global
// Memory Allocation": 8 MB unless the program sets another); OMPLS_DEVICE_HEAP sets it here and on the device `cuda`.
#include <malloc.h>
#include <stdlib.h>

#include "engine.h"

namespace {

constexpr size_t MEBIBYTE = 1 << 20;
size_t size = 8 * MEBIBYTE, used;

} // namespace

void ompls_sim_heap_size(const char *mebibytes)
{
    const long asked = mebibytes ? atol(mebibytes) : 0;
    if (asked > 0) size = size_t(asked) * MEBIBYTE;
}

void *ompls_sim_heap_take(size_t bytes)
{
    void *const got = bytes <= size ? malloc(bytes) : nullptr;
    if (got && __atomic_add_fetch(&used, malloc_usable_size(got), __ATOMIC_RELAXED) > size) {
        ompls_sim_heap_give(got);
        return nullptr;
    }
    return got;
}

void ompls_sim_heap_give(void *memory)
{
    if (memory) __atomic_sub_fetch(&used, malloc_usable_size(memory), __ATOMIC_RELAXED);
    free(memory);
}
