/* stream_line.h -- a line over two descriptors, for boards. */
#ifndef OMPLS_STREAM_LINE_H
#define OMPLS_STREAM_LINE_H
#include "line.h"

typedef struct {
    ompls_line line;
    int from, to;
} ompls_stream_line;

/* Python has so much room for one (remote/streams.py). */
_Static_assert(sizeof(ompls_stream_line) <= 256, "it fits");

/* A line over descriptors: each message is 8 bytes of its length, whose highest bit tells a payload, and its bytes. */
void ompls_stream_line_make(ompls_stream_line *line, int from, int to, double patience);
/* Its far side meets others of this machine and this user. */
void ompls_stream_line_meets(ompls_stream_line *line);
#endif
