/* trace.h -- lines of a trace, and the sums of a long one (trace.c, trace_line.c, trace_index.c). */
#ifndef OMPLS_TRACE_H
#define OMPLS_TRACE_H
#include "core.h"

enum { OMPLS_LINE = 1 << 14, OMPLS_LINE_TEXT = 4300 /* the bytes of one string in a line */ };
typedef struct {
    size_t used;
    char text[OMPLS_LINE];
} ompls_line;

__attribute__((format(printf, 2, 3))) void ompls_line_add(ompls_line *l, const char *format, ...);
/* As a string of JSON, cut between two characters where it is too long. */
void ompls_line_string(ompls_line *l, const char *text);

/* An event's line has `size` bytes from `offset` on.  Only whoever publishes a line calls it, so nobody else does meanwhile. */
void ompls_index_event(const ompls_event *event, uint64_t t, uint64_t duration, uint64_t offset, uint64_t size);
/* The index as one line, in pieces.  No event is added any more. */
void ompls_index_write(void (*put)(const char *bytes, size_t size));
#endif
