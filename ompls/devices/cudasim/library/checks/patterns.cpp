// patterns.cpp -- how the lanes of a warp touch memory together: an estimate of coalescing and of bank conflicts.
//
// A GPU serves one instruction of a warp at once.  Here threads run one after another, so the n-th execution of an
// instruction by each lane of a warp (since the block began) counts as one request.  A request to global memory takes a
// transaction for every 32-byte sector it touches (CUDA programming guide, "Device Memory Accesses"); one to shared memory
// is repeated as often as one of the 32 banks has to deliver different words ("Shared Memory", compute capability 5.x).
// Only the first blocks and executions are looked at.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "checks.h"

namespace {

enum : unsigned { WARP = 32, SECTOR = 32, BLOCKS = 16, TURNS = 64, MAX_BYTES = 16, LEAST_LANES = 8 };

struct Request {
    ompls_sim_access first;
    bool shared;
    unsigned lanes = 0;
    uintptr_t address[WARP];
};
struct Total {
    ompls_sim_access sample;
    bool shared;
    uint32_t block;
    double needed = 0, spent = 0;
};

std::unordered_map<uint64_t, Request> requests; // of the running block, by program counter, warp and turn
std::unordered_map<uint64_t, unsigned> turns;   // by program counter and thread
std::map<uint32_t, Total> totals;     // of the launch, by program counter
unsigned blocks_seen;

unsigned distinct(uintptr_t *values, unsigned number)
{
    std::sort(values, values + number);
    return unsigned(std::unique(values, values + number) - values);
}

void sectors(const Request &r, double *needed, double *spent)
{
    uintptr_t touched[WARP * 2], words[WARP];
    unsigned n = 0;
    for (unsigned i = 0; i < r.lanes; ++i) {
        words[i] = r.address[i];
        touched[n++] = r.address[i] / SECTOR;
        touched[n++] = (r.address[i] + r.first.size - 1) / SECTOR;
    }
    *spent = distinct(touched, n);
    *needed = (distinct(words, r.lanes) * r.first.size + SECTOR - 1) / SECTOR;
}

void banks(const Request &r, double *needed, double *spent)
{
    uintptr_t words[WARP];
    for (unsigned i = 0; i < r.lanes; ++i) words[i] = r.address[i] / 4;
    const unsigned n = distinct(words, r.lanes);
    unsigned in_bank[32] = {}, most = 0;
    for (unsigned i = 0; i < n; ++i) most = std::max(most, ++in_bank[words[i] % 32]);
    *needed = r.first.size > 4 ? r.first.size / 4.0 : 1;
    *spent = std::max(double(most), *needed);
}

} // namespace

void ompls_sim_pattern_access(const ompls_sim_access &access, bool shared)
{
    if (blocks_seen >= BLOCKS || access.size > MAX_BYTES) return;
    const uint32_t thread = ompls_sim_linear();
    unsigned &turn = turns[uint64_t(access.pc) << 16 | thread];
    if (turn >= TURNS) return;
    Request &r = requests[uint64_t(access.pc) << 32 | uint64_t(thread / WARP) << 16 | turn];
    ++turn;
    if (r.lanes == WARP) return;
    if (r.lanes == 0) {
        r.first = access;
        r.shared = shared;
    }
    r.address[r.lanes++] = access.address;
}

void ompls_sim_pattern_block_end()
{
    ++blocks_seen;
    for (const auto &entry : requests) {
        const Request &r = entry.second;
        if (r.lanes < LEAST_LANES) continue; // the rest of a range
        double needed, spent;
        if (r.shared) banks(r, &needed, &spent);
        else sectors(r, &needed, &spent);
        Total &t = totals[r.first.pc];
        if (t.spent == 0) t = {r.first, r.shared, ompls_sim_current.block.x, 0, 0};
        t.needed += needed;
        t.spent += spent;
    }
    requests.clear();
    turns.clear();
}

void ompls_sim_pattern_launch_end()
{
    blocks_seen = 0;
    for (const auto &entry : totals) {
        const Total &t = entry.second;
        if (t.spent >= 2 * t.needed)
            ompls_sim_found(t.shared ? SIM_FOUND_BANKS : SIM_FOUND_COALESCING, t.sample, t.block, 0, 0, 0, 0, t.spent / t.needed);
    }
    totals.clear();
}
