/* mpi_line.h -- a line over MPI, for nodes. */
#ifndef OMPLS_MPI_LINE_H
#define OMPLS_MPI_LINE_H
#include <stdbool.h>

#include "line.h"

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
    int peer, launcher;
    bool coming, there; /* the request for the next frame is made; it has come */
    int count;          /* its bytes */
    int failed;         /* MPI's code of the last error */
    _Alignas(16) char request[16], frame[OMPLS_FRAME];
} ompls_mpi_line;

/* Python has so much room for one (mpinode/module/cluster.py). */
_Static_assert(sizeof(ompls_mpi_line) <= (1 << 17) - 64, "it fits");

/* A line to the only other process of a communicator.  launcher: a descriptor that is readable once what has
   started that process has ended; -1: there is none. */
void ompls_mpi_line_make(ompls_mpi_line *line, const ompls_mpi *mpi, uintptr_t communicator, int peer, int launcher, double patience, bool spin);
/* What MPI starts from this thread has this file as its standard output and error: who cannot reach a machine tells why there, Open
   MPI's prte on its output. */
void ompls_mpi_starts(int file);
/* Before the program ends MPI this is called: 0 when it has done so, or tried to. */
void ompls_mpi_parts(int (*before_end)(void));
bool ompls_mpi_is_taken(void); /* the program has begun MPI itself */
/* No frame is waited for any more; those that have come are taken, or UCX names them when MPI is finished. */
void ompls_mpi_line_end(ompls_mpi_line *line);
#endif
