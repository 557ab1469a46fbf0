// A threadprivate workspace and a static one under critical.
#include <stdio.h>
#define N 40

static int workspace[8];
#pragma omp threadprivate(workspace)
static int log_used;

static int compute(int i)
{
    for (int k = 0; k < 8; k++)
        workspace[k] = i * k;
#pragma omp critical(log)
    log_used++;
    return workspace[7];
}

int main(void)
{
    int out[N];
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        out[i] = compute(i);
    return out[3] != 21 || log_used != N;
}
