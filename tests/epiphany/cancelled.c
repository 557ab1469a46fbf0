/* Constructs that are cancelled, many times, from whichever thread comes first; what is printed does not depend on which. */
#include <omp.h>
#include <stdio.h>

enum { N = 1000, ROUNDS = 20 };

int main(void)
{
    int found = 0, loops = 0, statics = 0, sections = 0, behind = 0, tasks = 0, late = 0, alone = 0, on = 0, points = 0;
#pragma omp target map(tofrom: found, loops, statics, sections, behind, tasks, late, alone, on, points)
    {
        on = omp_get_cancellation();
        for (int round = 0; round < ROUNDS; round++) {
            int seen = 0, gone = 0;
#pragma omp parallel num_threads(8)
            {
#pragma omp for schedule(dynamic)
                for (int i = 0; i < N; i++) {
#pragma omp cancellation point for
                    if (i == 50) {
#pragma omp atomic write
                        seen = i;
#pragma omp cancel for
                    }
                    while (on && i >= 100) { /* until somebody has met 50 */
#pragma omp cancellation point for
                    }
#pragma omp atomic
                    loops += i > 900;
                }
#pragma omp single
                found += seen;
#pragma omp for
                for (int i = 0; i < N; i++) {
#pragma omp cancel for if(round % 2 == 0)
#pragma omp atomic
                    statics++;
                }
#pragma omp sections
                {
#pragma omp section
                    {
#pragma omp cancel sections
#pragma omp atomic
                        sections++;
                    }
#pragma omp section
                    {
#pragma omp cancellation point sections
                    }
                }
#pragma omp single
#pragma omp taskgroup
                for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(i) shared(tasks)
                    {
                        if (i == 0) {
#pragma omp cancel taskgroup
                        }
#pragma omp cancellation point taskgroup
#pragma omp atomic
                        tasks++;
                    }
#pragma omp taskwait
                }
#pragma omp barrier
                if (omp_get_thread_num() == round % 8) {
#pragma omp atomic write
                    gone = 1;
#pragma omp cancel parallel
                }
                for (int waits = omp_get_thread_num() % 2; waits;) { /* some are at the barrier, some on the way */
#pragma omp cancellation point parallel
#pragma omp atomic read
                    waits = gone;
                    waits = !waits;
                }
#pragma omp barrier
#pragma omp atomic
                behind++;
            }
#pragma omp parallel num_threads(8)
#pragma omp single
            late += omp_get_num_threads() > 0;
#pragma omp parallel num_threads(1)
            {
#pragma omp cancel parallel
                alone++;
            }
        }
    }
    printf("%d %d %d %d %d %d %d %d %d\n", on, found, loops != 0, statics, sections, behind != 0, tasks, late, alone);
    return 0;
}
