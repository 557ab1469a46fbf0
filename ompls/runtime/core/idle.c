/* idle.c -- ompls_next_idle_device: where the next task of a farm should go. */
#include "core.h"

_Atomic bool ompls_counting;

int ompls_next_idle_device(void);
int ompls_next_idle_device(void) {
    static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER;
    static int last = -1; /* threads that ask at the same time get different ones */
    int count = ompls_device_count(), found = count; /* the initial device, when there is no other */
    uint32_t least = UINT32_MAX;
    atomic_store_explicit(&ompls_counting, true, memory_order_relaxed);
    pthread_mutex_lock(&choosing);
    for (int i = 1; i <= count && least > 0; i++) {
        int number = (last + i) % count;
        ompls_device *device = ompls_device_at(number);
        if (atomic_load(&device->lost) || atomic_load(&device->status) >= OMPLS_UNAVAILABLE) continue;
        uint32_t under_way = atomic_load_explicit(&device->under_way, memory_order_acquire);
        if (under_way >= least) continue;
        least = under_way;
        found = number;
    }
    if (found < count) last = found;
    pthread_mutex_unlock(&choosing);
    return found;
}
