/* peers.h -- copies from one far side to another, which they make without the program (wire.h: GIVE and TAKE). */
#ifndef OMPLS_NEAR_PEERS_H
#define OMPLS_NEAR_PEERS_H
#include "talk.h"

/* The functions of core/device.h. */
int ompls_near_copy_peer(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err);
int ompls_near_copy_peer_rows(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, uint32_t ndims,
                              const uint64_t *counts, const uint64_t *to_strides, const uint64_t *from_strides, ompls_error *err);
/* With both locks held.  -1: they cannot reach each other. */
int ompls_near_pass(near_device *taker, near_device *giver, ompls_address to, ompls_address from, uint64_t size, ompls_error *err);
/* The device will be closed: those that it has met part with it. */
void ompls_near_part(near_device *n);
#endif
