/* geometry.c -- how many teams of how many threads a kernel gets, and how they lie in the grid.

   A kernel of one dimension gets teams in a row.  One of collapsed loops may have two or three: its innermost loop runs
   along x, the next along y, then z.  It is right for any grid and block, so all of this is only about speed; but the
   numbers of teams and threads that clauses ask for are kept exactly. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    TEAM = 128,        /* threads of a team when neither clauses nor the device say how many */
    GRID_TEAM = 256,   /* the same in several dimensions: 32 x 8, 32 x 4 x 2 (Jetson paper, section 5) */
    ROW = 32,          /* of them along x: a warp reads one row */
    DEEP = 8,          /* threads beside a row from which on a block has two layers */
    LONGEST_SIDE = 65535, /* blocks along y and z (CUDA programming guide, table of compute capabilities) */
    FEW = 8,           /* teams: where there are fewer, rows are divided, also if a thread would rather have whole ones */
    TRIED = 1024       /* divisors that are looked for */
};

static uint32_t icv_num_teams, icv_thread_limit, wanted_block[3];

static uint32_t limit_from(const char *variable) {
    const char *text = getenv(variable);
    long value = text != NULL ? strtol(text, NULL, 10) : 0;
    return value > 0 ? (uint32_t)value : 0;
}

__attribute__((constructor(102))) static void read_environment(void) {
    icv_num_teams = limit_from("OMP_NUM_TEAMS");
    icv_thread_limit = limit_from("OMP_TEAMS_THREAD_LIMIT");
    const char *text = getenv("OMPLS_BLOCK");
    if (text == NULL) return;
    uint32_t b[3] = {1, 1, 1};
    if (sscanf(text, "%ux%ux%u", &b[0], &b[1], &b[2]) < 1 || b[0] == 0 || b[1] == 0 || b[2] == 0 || b[0] > 1024 || b[1] > 1024 || b[2] > 64)
        ompls_warn("OMPLS_BLOCK=%s: it is no block: use XxY or XxYxZ, as in 32x8 (it is ignored)", text);
    else
        for (int d = 0; d < 3; d++) wanted_block[d] = b[d];
}

static uint32_t at_most(uint32_t value, uint32_t limit) {
    return limit != 0 && value > limit ? limit : value;
}

static uint64_t quotient_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* The largest divisor of `number` that is at most `most`; of the very large ones not all are looked for. */
static uint32_t divisor(uint32_t number, uint64_t most) {
    if (number <= most) return number;
    uint32_t best = 1;
    for (uint32_t small = 1; small <= TRIED && (uint64_t)small * small <= number; small++) {
        if (number % small != 0) continue;
        if (small <= most && small > best) best = small;
        if (number / small <= most && number / small > best) best = number / small;
    }
    return best;
}

/* How many of `threads` go along x: a row of the device's, or the part of it that has all iterations.  A longer row than there
   are iterations costs less than one that is cut: where a warp reads two rows, it reads more lines of the cache. */
static uint32_t along_x(uint32_t threads, uint32_t row, uint64_t count) {
    uint32_t x = 1;
    while (x < row && threads % (2 * x) == 0) x *= 2;
    while (count != 0 && x / 2 >= count) x /= 2;
    return x;
}

/* The block of a kernel over several dimensions.  `counts`: iterations along each, 0 where nobody knows. */
static void shape_block(uint32_t threads, uint32_t dimensions, uint32_t row, const uint64_t *counts, uint32_t *block) {
    block[0] = threads, block[1] = block[2] = 1;
    if (threads % ROW != 0) return; /* what no warp divides lies in a row */
    block[0] = along_x(threads, row != 0 ? row : ROW, counts[0]);
    block[1] = threads / block[0];
    if (dimensions == 3 && block[1] >= DEEP && block[1] % 2 == 0) block[1] /= 2, block[2] = 2;
    for (uint32_t d = dimensions - 1; d > 0; d--)
        while (counts[d] != 0 && block[d] % 2 == 0 && block[d] / 2 >= counts[d]) block[d] /= 2, block[0] *= 2;
}

/* The grid: `teams` of them exactly, or, when that is 0, one iteration a thread, or a few where that makes many teams. */
static void shape_grid(const ompls_limits *has, uint32_t teams, const uint64_t *counts, const uint32_t *block, uint32_t *grid) {
    uint64_t needed[3], all = 1, unknown = has->default_teams != 0 ? has->default_teams : 1;
    for (int d = 0; d < 3; d++) {
        uint64_t limit = d == 0 ? (has->max_teams != 0 ? has->max_teams : INT32_MAX) : LONGEST_SIDE;
        needed[d] = counts[d] != 0 ? quotient_up(counts[d], block[d]) : unknown;
        if (counts[d] == 0) unknown = 1;
        if (needed[d] > limit) needed[d] = limit;
        all *= needed[d];
    }
    if (teams != 0) {
        grid[2] = divisor(teams, needed[2]);
        grid[1] = divisor(teams / grid[2], needed[1]);
        grid[0] = teams / grid[2] / grid[1];
        return;
    }
    uint64_t most = has->many_teams == 0 ? INT32_MAX : all / 128 > has->many_teams ? all / 128 : has->many_teams;
    for (int d = 0; d < 3; d++) {
        /* Rows first: a thread's iterations stay together.  Where a row is one thread's, it is one loop. */
        uint64_t others = all / needed[d], limit = d == 0 && has->row_threads == 1 ? FEW : most;
        if (all > limit) needed[d] = others < limit ? limit / others : 1;
        all = others * needed[d];
    }
    for (int d = 0; d < 3; d++) grid[d] = (uint32_t)needed[d];
}

static inline uint32_t exact_teams(const ompls_launch *asked) {
    return asked->num_teams != 0 ? asked->num_teams : icv_num_teams;
}

/* `threads`: 0 when nobody has asked for a number. */
static inline uint32_t within_limits(const ompls_limits *has, const ompls_launch *asked, uint32_t threads) {
    if (threads == 0) threads = has->default_threads != 0 ? has->default_threads : TEAM;
    return at_most(at_most(threads, asked->thread_limit != 0 ? asked->thread_limit : icv_thread_limit), has->max_threads);
}

/* Kernels count threads along a dimension in an int. */
static inline uint32_t countable(uint32_t teams, uint32_t threads) {
    return OMPLS_LIKELY((uint64_t)teams * threads <= INT32_MAX) ? teams : INT32_MAX / threads;
}

static void several_dimensions(const ompls_limits *has, const ompls_launch *asked, uint32_t *grid, uint32_t *block) {
    uint64_t counts[3] = {asked->trips[0], asked->trips[1], asked->dimensions == 3 ? asked->trips[2] : 1};
    uint32_t threads = asked->num_threads, chosen = wanted_block[0] * wanted_block[1] * wanted_block[2];
    if (threads == 0) threads = chosen;
    if (threads == 0 && has->row_threads == 0) threads = GRID_TEAM;
    threads = within_limits(has, asked, threads);
    bool wanted = asked->dimensions == 3 || wanted_block[2] == 1;
    if (wanted && threads == chosen)
        for (int d = 0; d < 3; d++) block[d] = wanted_block[d];
    else shape_block(threads, asked->dimensions, has->row_threads, counts, block);
    shape_grid(has, at_most(exact_teams(asked), has->max_teams), counts, block, grid);
    for (int d = 0; d < 3; d++) grid[d] = countable(grid[d], block[d]);
}

/* How many threads a team gets that runs loops of `count` iterations one after another: no more warps than there are
   iterations for.  Where a row is one thread's, each thread more is one that has to be waited for. */
static uint32_t for_loops_inside(const ompls_limits *has, uint64_t count) {
    uint64_t most = has->default_threads != 0 ? has->default_threads : TEAM;
    uint64_t wanted = count < most * ROW ? quotient_up(count, ROW) : most;
    if (has->row_threads != 1) wanted *= ROW;
    else if (count == UINT64_MAX) wanted = 1;
    return wanted < most ? (uint32_t)wanted : (uint32_t)most;
}

/* As many teams as the iterations want, 0 when nobody knows. */
static uint64_t derived_teams(const ompls_limits *has, uint64_t trip_count, bool loops_inside, uint32_t threads) {
    uint64_t teams = loops_inside ? trip_count : quotient_up(trip_count, threads);
    if (has->many_teams == 0 || teams <= has->many_teams) return teams;
    return teams / 128 > has->many_teams ? teams / 128 : has->many_teams;
}

static void one_dimension(const ompls_limits *has, bool spmd, const ompls_launch *asked, uint32_t *grid, uint32_t *block) {
    uint64_t inside = spmd && asked->dimensions == 1 ? asked->trips[0] : 0;
    uint32_t wanted = asked->num_threads == 0 && inside != 0 ? for_loops_inside(has, inside) : asked->num_threads;
    uint32_t threads = spmd ? within_limits(has, asked, wanted) : TEAM;
    uint64_t teams = exact_teams(asked);
    if (teams == 0 && spmd && asked->trip_count != 0) teams = derived_teams(has, asked->trip_count, inside != 0, threads);
    if (teams == 0) teams = has->default_teams != 0 ? has->default_teams : 1;
    grid[0] = countable(at_most(teams < UINT32_MAX ? (uint32_t)teams : UINT32_MAX, has->max_teams), threads);
    block[0] = threads;
    grid[1] = grid[2] = block[1] = block[2] = 1;
}

void ompls_choose_geometry(const ompls_limits *has, ompls_mode mode, const ompls_launch *asked, uint32_t *grid, uint32_t *block) {
    static const ompls_launch nothing;
    bool spmd = mode == OMPLS_MODE_SPMD;
    if (asked == NULL) asked = &nothing;
    if (spmd && asked->dimensions > 1) several_dimensions(has, asked, grid, block);
    else one_dimension(has, spmd, asked, grid, block);
}
