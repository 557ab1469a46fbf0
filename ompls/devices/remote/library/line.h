/* line.h -- what carries frames and payloads (wire.h) between a program and a far side: over MPI, or over two descriptors. */
#ifndef OMPLS_LINE_H
#define OMPLS_LINE_H
#include <pthread.h>
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

/* MPI's functions, and its handles as mpi4py tells them.  A handle is a number (MPICH) or a pointer (Open MPI, the standard
   ABI): where an int is passed as its register's lower half, as on the machines that we know, both are passed like this. */
typedef struct {
    int (*isend)(const void *bytes, int count, uintptr_t type, int to, int tag, uintptr_t communicator, void *request);
    int (*irecv)(void *into, int count, uintptr_t type, int from, int tag, uintptr_t communicator, void *request);
    int (*test)(void *request, int *flag, void *status);
    int (*get_count)(const void *status, uintptr_t type, int *count);
    int (*cancel)(void *request);
    int (*wait)(void *request, void *status);
    uintptr_t byte;
    int (*port)(char *name, int room); /* these are not MPI's, but of the script around a far side; not 0: it cannot */
    uintptr_t (*meet)(const char *port, double patience);
    void (*part)(uintptr_t communicator, double patience);
} ompls_mpi;

typedef struct {
    ompls_line line;
    const ompls_mpi *mpi;
    uintptr_t communicator;
    int peer;
    bool coming, there; /* the request for the next frame is made; it has come */
    int count;          /* its bytes */
    int failed;         /* MPI's code of the last error */
    _Alignas(16) char request[16], frame[OMPLS_FRAME];
} ompls_mpi_line;

/* A line to the other process of a communicator of two. */
void ompls_mpi_line_make(ompls_mpi_line *line, const ompls_mpi *mpi, uintptr_t communicator, int peer, double patience, bool spin);
/* What MPI starts from this thread has our standard error as its standard output: Open MPI's prte tells its errors there, and the
   output is the program's. */
void ompls_mpi_starts(void);
/* No frame is waited for any more. */
void ompls_mpi_line_end(ompls_mpi_line *line);

typedef struct {
    ompls_line line;
    int from, to;
} ompls_stream_line;

/* Python has so much room for them (mpinode/module/cluster.py, remote/streams.py). */
_Static_assert(sizeof(ompls_mpi_line) <= (1 << 17) - 64 && sizeof(ompls_stream_line) <= 256, "they fit");

/* A line over descriptors: each message is 8 bytes of its length, whose highest bit tells a payload, and its bytes. */
void ompls_stream_line_make(ompls_stream_line *line, int from, int to, double patience);
/* Its far side meets others of this machine and this user. */
void ompls_stream_line_meets(ompls_stream_line *line);
#endif
