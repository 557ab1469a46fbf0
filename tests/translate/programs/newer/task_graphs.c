/* What a `taskgraph` waits for (OpenMP 6.0 §14.3), with the clauses of the directive and of the tasks in it. */

#include "../expect.h"

static int squares[10], counts[8];

/* The end of the region waits for all tasks: without that the next round meets variables that are gone. */
static int each_round_waits(void)
{
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        int y = 0;
#pragma omp taskgraph
        {
#pragma omp target nowait map(tofrom : y) depend(out : y)
            ++y;
#pragma omp task depend(out : y) shared(y)
            ++y;
#pragma omp target nowait map(tofrom : y) depend(out : y)
            ++y;
        }
        sum += y;
    }
    return sum;
}

static int of_a_taskloop(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgraph graph_id(4)
        {
#pragma omp taskloop nogroup
            for (int i = 0; i < 10; i++) {
                volatile int slow = 0;
                for (int k = 0; k < 100000; k++)
                    slow = k & 1;
                squares[i] = i * i + (slow > 1);
            }
        }
        for (int i = 0; i < 10; i++)
            sum += squares[i];
    }
    return sum;
}

static int without_waiting(void)
{
    int y = 0;
    for (int i = 0; i < 4; i++) {
#pragma omp taskgraph graph_id(i % 2) graph_reset if (i != 1) nogroup
        {
#pragma omp target nowait map(tofrom : y) depend(inout : y) replayable
            ++y;
        }
    }
#pragma omp taskwait
    return y;
}

static int with_saved_copies(void)
{
    int sum = 0;
#pragma omp taskgraph graph_reset(1)
    for (int k = 0; k < 8; k++) {
#pragma omp task firstprivate(saved : k) depend(inout : counts[k]) replayable(1)
        counts[k] += k;
#pragma omp target nowait depend(inout : counts[k]) firstprivate(saved : k) map(tofrom : counts[k])
        counts[k] += k;
    }
    for (int k = 0; k < 8; k++)
        sum += counts[k];
    return sum;
}

int main(void)
{
    expect(each_round_waits(), 12, "three in each of four rounds");
    expect(of_a_taskloop(), 285, "a taskloop with nogroup in a graph");
    expect(without_waiting(), 4, "nogroup, and a taskwait behind it");
    expect(with_saved_copies(), 56, "firstprivate(saved: k)");
    return failures != 0;
}
