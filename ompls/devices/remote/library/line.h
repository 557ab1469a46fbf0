/* line.h -- what carries frames and payloads (wire.h) between a program and a far side; over what, mpi_line.h and stream_line.h
   say, of which a far side has one. */
#ifndef OMPLS_LINE_H
#define OMPLS_LINE_H
#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

enum { LINE_FINE, LINE_SILENT, LINE_BROKEN }; /* what the functions return */

typedef struct ompls_line {
    int (*get)(struct ompls_line *line, void *into, uint64_t *length); /* the next frame, of OMPLS_FRAME bytes at most */
    int (*put)(struct ompls_line *line, const void *frame, uint64_t size);
    int (*get_data)(struct ompls_line *line, void *into, uint64_t size); /* of a payload */
    int (*put_data)(struct ompls_line *line, const void *bytes, uint64_t size);
    double patience; /* seconds without a sign of life after which the other side is silent; 0: for ever */
    bool spin;       /* who waits keeps a core busy */
    const struct ompls_meeting *meeting; /* how a far side meets others; 0: it cannot */
} ompls_line;

/* Payloads alone go over the lines between far sides. */
typedef struct ompls_meeting {
    bool (*port)(ompls_line *line, char *name); /* where it can be reached: a text in OMPLS_PORT bytes */
    /* The other one's line, which `part` takes; it connects to the port, or accepts who does (0).  Nobody came within the patience: 0. */
    ompls_line *(*meet)(ompls_line *line, const char *port, double patience);
    void (*part)(ompls_line *line, ompls_line *peer); /* both do */
} ompls_meeting;
#endif
