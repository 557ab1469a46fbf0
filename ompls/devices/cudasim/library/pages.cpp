// pages.cpp -- the host's memory in kernels, a page at a time.
//
// A program that requires unified shared memory uses host addresses in kernels.  The device process has nothing mapped
// there (protocol.h), so an access faults; the fault handler copies the page from the host.  The first write to a page
// keeps a twin of it: when the kernel ends, the bytes that differ from the twin go back to the host, and all pages are
// given up, since the host may write to them before the next kernel.  So host and kernel may write to different bytes of
// one page at the same time.  What is not kept: that one sees the other's writes, or atomic operations, while the kernel
// runs.
#include "pages.h"

#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine.h"

namespace {

constexpr uint32_t capacity = 1u << 20; // pages of one kernel: 4 GiB with the usual size
struct Page {
    uint64_t address; // 0: the slot is free
    uint32_t twin;    // number of its twin + 1; 0: only read
};
Page *pages;     // a hash table, linear probing
uint32_t *order; // the slots in use
char *twins;
char *scratch; // where a page is filled before it moves to its place
uint32_t count, twin_count;
uint64_t page_size;
pid_t host; // 0: the program does not share
// A fault can come at any moment, but never while this is held by the same thread: nothing below touches host addresses.
pthread_spinlock_t lock;

Page *slot_of(uint64_t address)
{
    uint64_t at = address / page_size * 0x9e3779b97f4a7c15ull >> 44;
    while (pages[at].address != 0 && pages[at].address != address) at = (at + 1) % capacity;
    return &pages[at];
}

bool copy_from_host(void *to, uint64_t from, uint64_t size)
{
    const iovec local = {to, size}, remote = {reinterpret_cast<void *>(from), size};
    return process_vm_readv(host, &local, 1, &remote, 1, 0) == ssize_t(size);
}

bool fetch(Page *slot, uint64_t address)
{
    if (count >= capacity / 2) return false;
    const int fixed = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap(scratch, page_size, PROT_READ | PROT_WRITE, fixed, -1, 0) != scratch || !copy_from_host(scratch, address, page_size) ||
        mprotect(scratch, page_size, PROT_READ) != 0 ||
        mremap(scratch, page_size, page_size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void *>(address)) == MAP_FAILED)
        return false;
    *slot = {address, 0};
    order[count++] = uint32_t(slot - pages);
    return true;
}

bool make_writable(Page *slot)
{
    void *page = reinterpret_cast<void *>(slot->address);
    if (slot->twin == 0) {
        memcpy(twins + twin_count * page_size, page, page_size);
        slot->twin = ++twin_count;
    }
    return mprotect(page, page_size, PROT_READ | PROT_WRITE) == 0;
}

// Sends runs of changed bytes, and only these: the bytes between may be the host's to write.
uint64_t return_page(const Page &page)
{
    enum { BATCH = 512 };
    iovec runs[BATCH];
    const char *now = reinterpret_cast<const char *>(page.address), *before = twins + (page.twin - 1) * page_size;
    for (uint64_t at = 0; at < page_size;) {
        unsigned n = 0;
        ssize_t bytes = 0;
        while (at < page_size && n < BATCH) {
            while (at < page_size && now[at] == before[at]) ++at;
            const uint64_t first = at;
            while (at < page_size && now[at] != before[at]) ++at;
            if (at > first) runs[n++] = {const_cast<char *>(now) + first, at - first}, bytes += ssize_t(at - first);
        }
        if (n > 0 && process_vm_writev(host, runs, n, runs, n, 0) != bytes) return reinterpret_cast<uint64_t>(runs[0].iov_base);
    }
    return 0;
}

} // namespace

bool ompls_sim_share_host(pid_t process, uint64_t probe)
{
    char byte;
    host = process;
    page_size = uint64_t(sysconf(_SC_PAGESIZE));
    if (!copy_from_host(&byte, probe, 1)) return host = 0, false;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pages = reinterpret_cast<Page *>(ompls_sim_map(capacity * sizeof *pages));
    order = reinterpret_cast<uint32_t *>(ompls_sim_map(capacity * sizeof *order));
    twins = ompls_sim_map(capacity / 2 * page_size);
    scratch = ompls_sim_map(page_size);
    return true;
}

bool ompls_sim_fetch_page(uint64_t address, bool write, bool absent)
{
    if (host == 0) return false;
    pthread_spin_lock(&lock);
    address -= address % page_size;
    Page *slot = slot_of(address);
    const bool known = slot->address != 0; // else another thread may have fetched it since
    bool again = known || (absent && fetch(slot, address));
    if (again && write) again = make_writable(slot);
    pthread_spin_unlock(&lock);
    return again;
}

uint64_t ompls_sim_return_pages()
{
    uint64_t refused = 0;
    for (uint32_t i = 0; i < count; ++i) {
        Page &page = pages[order[i]];
        if (page.twin != 0 && refused == 0) refused = return_page(page);
        munmap(reinterpret_cast<void *>(page.address), page_size);
        page = {};
    }
    if (twin_count > 0) madvise(twins, twin_count * page_size, MADV_DONTNEED);
    count = twin_count = 0;
    return refused;
}
