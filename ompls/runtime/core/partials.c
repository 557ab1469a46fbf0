/* partials.c -- memory in which the teams of a launch leave their parts of a reduction, for the last of them to join
   (OMPLS_PARAM_PARTIALS).

   A launch has it for itself; then another one gets it.  What a kernel that failed has left there is not used again. */
#include "core.h"

#include <stdlib.h>

struct ompls_partials {
    ompls_partials *next;
    ompls_address address;
    uint64_t size;
};

enum { HEAD = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all devices' lists */

/* One with room for `size` bytes, from the device's list; 0: there is none. */
static ompls_partials *find(ompls_device *device, uint64_t size) {
    pthread_mutex_lock(&lock);
    ompls_partials **at = &device->partials, *found;
    while (*at != NULL && (*at)->size < size) at = &(*at)->next;
    if ((found = *at) != NULL) *at = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static ompls_partials *make(ompls_place at, uint64_t size) {
    static const char zeros[HEAD];
    const ompls_module *module = at.device->module;
    ompls_error err = {0};
    ompls_partials *made = malloc(sizeof *made);
    if (made == NULL) ompls_fail(at, "close other programs", "no memory for what the teams reduce");
    made->size = size;
    if (module->alloc(at.device->handle, size, &made->address, &err) != 0)
        ompls_fail_memory(at, "no device memory for what the teams reduce", &err);
    if (module->copy_in(at.device->handle, made->address, zeros, sizeof zeros, &err) != 0)
        ompls_fail_module(at, "cannot begin a reduction", &err);
    return made;
}

ompls_address ompls_take_partials(ompls_place at, uint64_t bytes, uint64_t teams, ompls_partials **taken) {
    uint64_t size = 1024; /* powers of two: few lengths are asked for */
    while (size < HEAD + bytes * teams) size *= 2;
    ompls_partials *found = find(at.device, size);
    if (found == NULL) found = make(at, size);
    found->next = *taken;
    *taken = found;
    return found->address;
}

void ompls_return_partials(ompls_device *device, ompls_partials *taken) {
    if (OMPLS_LIKELY(taken == NULL)) return;
    pthread_mutex_lock(&lock);
    while (taken != NULL) {
        ompls_partials *next = taken->next;
        taken->next = device->partials;
        device->partials = taken;
        taken = next;
    }
    pthread_mutex_unlock(&lock);
}
