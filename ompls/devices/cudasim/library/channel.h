// channel.h -- the page that the device process has in common with the host (protocol.h), and what travels over it: answers,
// what kernels print, the reason why the process ends.
#ifndef OMPLS_SIM_CHANNEL_H
#define OMPLS_SIM_CHANNEL_H
#include <cstdint>

#include "protocol.h"

namespace ompls_sim_channel {

extern sim_control *control;

void futex_wait(uint32_t *word, uint32_t seen, long milliseconds); // negative: as long as it takes
void futex_wake(uint32_t *word);
inline uint32_t load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
// The command has been carried out.
void reply();
// The first who comes here reports; everything else that runs in the process just stops.
void claim_the_end();
[[noreturn]] void end_process();

} // namespace ompls_sim_channel

#endif
