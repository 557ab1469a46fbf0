/* y += a x in TASKS target tasks that need nothing of each other: a graph with one level. */

#include <stdio.h>

enum { TASKS = 64, EACH = 256 };

static float x[TASKS * EACH], y[TASKS * EACH];

int main(void)
{
    const float a = 3;
    int wrong = 0;
    for (int i = 0; i < TASKS * EACH; i++) {
        x[i] = (float)(i % 100);
        y[i] = 1;
    }
#pragma omp taskgraph
    for (int t = 0; t < TASKS; t++) {
#pragma omp target teams distribute parallel for nowait map(to : x[t * EACH : EACH]) map(tofrom : y[t * EACH : EACH]) \
    depend(inout : y[t * EACH]) firstprivate(saved : t)
        for (int i = t * EACH; i < (t + 1) * EACH; i++)
            y[i] += a * x[i];
    }
    for (int i = 0; i < TASKS * EACH; i++)
        wrong += y[i] != 1 + a * (float)(i % 100);
    printf("saxpy: %d numbers in %d tasks, %s\n", TASKS * EACH, TASKS, wrong ? "wrong" : "correct");
    return wrong != 0;
}
