/* mock.h -- a device module for tests of the core: malloc'ed memory, every operation counted, kernels are C functions.

   With MOCK_NARROW its pointers have 4 bytes, with MOCK_FOREIGN its byte order is the other one.  With MOCK_AHEAD copies that are started happen only when their thread waits or starts a kernel, or another follows their mark:
   who does not wait sees old values.  With MOCK_SENDS, too, it takes what is sent, and does these copies when that is received.
   With MOCK_ALL it takes many kernels by one command.
   MOCK_GATHER: the size up to which list items are gathered.
   `MOCK_CHECK` ends the program with the line of the expectation that failed. */
#ifndef MOCK_H
#define MOCK_H
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core.h"

#define MOCK_CHECK(condition)                                                      \
    do {                                                                           \
        if (!(condition)) {                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                               \
        }                                                                          \
    } while (0)

typedef void (*mock_kernel)(void **params, const ompls_launch_request *request);

/* A pointer that is attached is counted with the copies, too. */
extern _Atomic long mock_allocs, mock_frees, mock_in, mock_out, mock_launches, mock_opens, mock_waits, mock_attached, mock_peers, mock_sent, mock_batches;
extern ompls_launch_request mock_last;
extern ompls_error mock_launch_error; /* what the next launch reports, when its reason or fault is set */
extern const char *mock_open_failure, *mock_copy_failure;
extern uint64_t mock_memory_limit;
extern uint64_t mock_reserved; /* where the memory of devices is, and none of the host; 0: not known */
extern int mock_probe_count;
extern void (*mock_copying)(void); /* called at each copy from or to the host, when set */

void mock_add_kernel(const char *name, mock_kernel kernel);
void *mock_symbol(int device, const char *name); /* the pointer variable of the image */
void mock_reset(void);
#endif
