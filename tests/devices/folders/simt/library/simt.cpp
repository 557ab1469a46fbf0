// simt.cpp -- what the fibres need of the process that they are in: here it is the program itself.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "engine.h"
#include "protocol.h"
#include "simt.h"

void simt_run(void (*run)(void *const *), void *const *params, const unsigned *grid, const unsigned *block)
{
    const ompls_sim_launch launch = {run, params, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}};
    const uint64_t teams = uint64_t(grid[0]) * grid[1] * grid[2];
    for (uint64_t team = 0; team < teams; ++team) ompls_sim_run_block(launch, team);
}

char *ompls_sim_map(size_t size)
{
    static uintptr_t next = SIM_INTERNAL_BASE;
    constexpr size_t page = 65536;
    size = (size + page - 1) / page * page + page; // a page of nothing behind it
    for (;;) {
        void *const wanted = reinterpret_cast<void *>(next);
        next += size;
        void *got = mmap(wanted, size - page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == wanted) return static_cast<char *>(got);
        if (next > SIM_INTERNAL_BASE + SIM_INTERNAL_SIZE) ompls_sim_fail(nullptr, "no room for stacks");
    }
}

void ompls_sim_fail(const void *, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("simt: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    abort();
}

int ompls_sim_printf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int written = vprintf(format, list);
    va_end(list);
    return written;
}

double ompls_sim_seconds()
{
    return double(clock()) / CLOCKS_PER_SEC;
}

long long ompls_sim_clock()
{
    return 0;
}

void ompls_sim_assert_failed(const char *expression, const char *file, unsigned line, const char *function)
{
    ompls_sim_fail(nullptr, "%s:%u: %s: `%s' does not hold", file, line, function, expression);
}
