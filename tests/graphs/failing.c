/* A kernel that fails in a replay: it is named, though many were started together. */
#include <stdio.h>

static int A[8];
static int run(int *bad, int where)
{
#pragma omp taskgraph
    for (int k = 0; k < 8; k++) {
#pragma omp target nowait map(tofrom: A[k]) depend(inout: A[k])
        A[k] += k;
#pragma omp target nowait map(tofrom: A[k]) depend(inout: A[k]) firstprivate(bad)
        A[k] += k == where ? bad[k] : 1;
    }
    return A[3];
}
int main(void)
{
    static int host[8];
#pragma omp target data map(tofrom: A)
    {
        printf("%d\n", run(host, -1));
        fflush(stdout);
        printf("%d\n", run(host, 3));
    }
    return 0;
}
