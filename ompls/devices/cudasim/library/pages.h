// pages.h -- the host's memory in kernels, for programs that require unified shared memory.
#ifndef OMPLS_SIM_PAGES_H
#define OMPLS_SIM_PAGES_H
#include <cstdint>
#include <sys/types.h>

// From now on host addresses mean the host's memory.  `probe` is some host address.  False with errno when the kernel of
// the operating system does not let this process read the host's memory.
bool ompls_sim_share_host(pid_t host, uint64_t probe);
// After a fault (`absent`: nothing is mapped there).  True when the access is to be tried again.
bool ompls_sim_fetch_page(uint64_t address, bool write, bool absent);
// After a kernel: what it wrote goes to the host.  The address of a byte that the host may not be given, or 0.
uint64_t ompls_sim_return_pages();

#endif
