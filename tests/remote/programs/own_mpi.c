/* A program with its own MPI: each rank uses nodes, before and beside its messages.  "late": also after MPI_Finalize.
   "lost": a node of the first rank is killed.  "leaves": a rank ends for which the other one waits. */
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, level, sum = 0, total = 0, host = 0, node = 0;
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int d = 0; d < omp_get_num_devices(); d++) {
        int there = 1;
        #pragma omp target map(tofrom: sum) map(from: there, node) firstprivate(rank) device(d)
        {
            there = omp_is_initial_device();
            node = getpid();
            for (int i = 0; i < 10; i++) sum += i + rank;
        }
        host += there;
    }
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d ranks %d host %d\n", size, total, host);
    fflush(stdout);
    if (strcmp(how, "lost") == 0 && rank == 0) kill(node, SIGKILL);
    if (strcmp(how, "leaves") == 0) {
        if (rank != 0) exit(9);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    if (rank != 0) puts("done");
    if (strcmp(how, "late") == 0) {
        #pragma omp target map(tofrom: sum)
        sum++;
    }
    return 0;
}
