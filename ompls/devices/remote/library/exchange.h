/* exchange.h -- what a far side and others send to each other, without the program in between (wire.h: GIVE and TAKE). */
#ifndef OMPLS_FAR_EXCHANGE_H
#define OMPLS_FAR_EXCHANGE_H
#include "memory.h"
#include "wire.h"

/* Where others reach this one: a text in OMPLS_PORT bytes. */
int ompls_far_port(ompls_line *line, char *name, ompls_error *err);
/* ACCEPT or CONNECT. */
int ompls_far_meet(ompls_line *line, const wire_record *r, const char *texts, ompls_error *err);
/* GIVE or TAKE; `failed`: nothing is done here any more, and the other one shall not wait for it. */
int ompls_far_exchange(const far_memory *memory, const wire_record *r, const char *dimensions, bool failed, ompls_error *err);
void ompls_far_part(ompls_line *line, uint64_t peer);
#endif
