/* mpi.c -- the far side as a shared object, which the script that is started on a node loads (mpi.py). */
#include "far.h"
#include "mpi_line.h"

int ompls_far_serve_mpi(const ompls_mpi *mpi, uintptr_t communicator, int spin);
int ompls_far_serve_mpi(const ompls_mpi *mpi, uintptr_t communicator, int spin) {
    static ompls_mpi_line line;
    ompls_mpi_line_make(&line, mpi, communicator, 0, -1, 0, spin != 0);
    int code = ompls_far_serve(&line.line);
    ompls_mpi_line_end(&line);
    return code;
}
