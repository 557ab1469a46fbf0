/* Regions with `nowait` on nodes, whose kernels know what is around them: `apart PLACE` has two that meet, `apart SIGNAL` one that
   sends itself a signal. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE = 20000 /* ms */ };

/* Kernels on two devices that wait for each other. */
static void meet(const char *place)
{
    char own[2][200];
    int met[2] = {0, 0};
    for (int d = 0; d < 2; d++) snprintf(own[d], sizeof own[d], "%s/%d", place, d);
    for (int d = 0; d < 2; d++) {
        #pragma omp target device(d) nowait map(to: own) map(from: met[d:1])
        {
            close(open(own[d], O_CREAT | O_WRONLY, 0600));
            for (int i = 0; i < PATIENCE && access(own[1 - d], F_OK) != 0; i++) usleep(1000);
            met[d] = access(own[1 - d], F_OK) == 0;
        }
    }
    #pragma omp taskwait
    printf("%d%d\n", met[0], met[1]);
}

int main(int argc, char **argv)
{
    int sign = argc > 1 ? atoi(argv[1]) : 0;
    if (sign == 0) {
        meet(argv[1]);
        return 3;
    }
    #pragma omp target nowait firstprivate(sign)
    kill(getpid(), sign);
    #pragma omp taskwait
    return 3;
}
