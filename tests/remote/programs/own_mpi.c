/* A program with its own MPI: each rank uses nodes, before and beside its messages.  "late": also after MPI_Finalize. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, level, sum = 0, total = 0, host = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int d = 0; d < omp_get_num_devices(); d++) {
        int there = 1;
        #pragma omp target map(tofrom: sum) map(from: there) firstprivate(rank) device(d)
        {
            there = omp_is_initial_device();
            for (int i = 0; i < 10; i++) sum += i + rank;
        }
        host += there;
    }
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d ranks %d host %d\n", size, total, host);
    fflush(stdout);
    MPI_Finalize();
    if (argc > 1) {
        #pragma omp target map(tofrom: sum)
        sum++;
    }
    return 0;
}
