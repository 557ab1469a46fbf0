/* mpi_own.c -- a program's own calls that begin and end MPI.  Nodes have begun it before `main`, and have to part before it ends.

   MPI leaves these names to whoever wants to stand before it, and answers to those with a P (MPI 4.1, section 15.2).  Ours are
   weak: where a profiler of the program's has them, they are its own. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "mpi_line.h"

int PMPI_Init(int *argc, char ***argv) __attribute__((weak)); /* 0 in a program without MPI */
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided) __attribute__((weak));
int PMPI_Initialized(int *flag) __attribute__((weak));
int PMPI_Query_thread(int *provided) __attribute__((weak));
int PMPI_Finalize(void) __attribute__((weak));

int MPI_Init(int *argc, char ***argv) __attribute__((weak));
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) __attribute__((weak));
int MPI_Finalize(void) __attribute__((weak));

static int (*part)(void); /* 0: there are no nodes */
static bool taken;        /* the program has begun it, too */

void ompls_mpi_parts(int (*before_end)(void)) {
    part = before_end;
}

static bool have_begun(void) {
    static const char why[] = "ompls: error: this program has an MPI of its own inside, and nodes are reached by a shared one; link it with libmpi.so\n";
    if (PMPI_Init == NULL) {
        if (write(2, why, sizeof why - 1) < 0) _exit(126);
        _exit(125);
    }
    int begun = 0;
    if (taken || PMPI_Initialized(&begun) != 0 || !begun) return false;
    return taken = true;
}

int MPI_Init(int *argc, char ***argv) {
    return have_begun() ? 0 : PMPI_Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    return have_begun() ? PMPI_Query_thread(provided) : PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Finalize(void) {
    return part == NULL || part() ? PMPI_Finalize() : 0;
}

bool ompls_mpi_is_taken(void) {
    return taken;
}
