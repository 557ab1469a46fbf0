/* epiphany_constructs.c -- each OpenMP construct many times in one kernel: bench/epiphany_constructs.py counts what that takes.
 *
 *     epiphany_constructs CONSTRUCT CORES TIMES
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"parallel", "for",       "barrier", "single",   "critical", "lock",      "ordered",
                                    "atomic",   "reduction", "task",    "tasks-of-one", "taskwait", "task-tree"};

#pragma omp declare target
static void tree(int depth)
{
    if (depth == 0)
        return;
    #pragma omp task
    tree(depth - 1);
    #pragma omp task
    tree(depth - 1);
    #pragma omp taskwait
}
#pragma omp end declare target

static int measure(const char *name, int cores, int times)
{
    int got = 0, sum = 0;
    if (strcmp(name, "parallel") == 0) {
        #pragma omp target map(tofrom: got)
        for (int i = 0; i < times; i++) {
            #pragma omp parallel num_threads(cores)
            if (omp_get_thread_num() == 0)
                got = omp_get_num_threads();
        }
        return got;
    }
/* `what` in each round of a team, of which the kernel's core says how large it is. */
#define IN_A_TEAM(construct, what)                                                           \
    if (strcmp(name, construct) == 0) {                                                      \
        _Pragma("omp target map(tofrom: got, sum)")                                          \
        _Pragma("omp parallel num_threads(cores)")                                           \
        {                                                                                    \
            for (int i = 0; i < times; i++) {                                                \
                what                                                                         \
            }                                                                                \
            if (omp_get_thread_num() == 0)                                                   \
                got = omp_get_num_threads();                                                 \
        }                                                                                    \
        return got;                                                                          \
    }
    IN_A_TEAM("for", _Pragma("omp for") for (int k = 0; k < cores; k++) (void)k;)
    IN_A_TEAM("barrier", _Pragma("omp barrier"))
    IN_A_TEAM("single", _Pragma("omp single") (void)i;)
    IN_A_TEAM("critical", _Pragma("omp critical") sum++;)
    IN_A_TEAM("ordered", _Pragma("omp for ordered") for (int k = 0; k < cores; k++) { _Pragma("omp ordered") sum++; })
    IN_A_TEAM("atomic", _Pragma("omp atomic") sum++;)
    IN_A_TEAM("reduction", _Pragma("omp for reduction(+: sum)") for (int k = 0; k < cores; k++) sum += k;)
    IN_A_TEAM("task", _Pragma("omp task") (void)i;)
    IN_A_TEAM("tasks-of-one", _Pragma("omp masked") for (int k = 0; k < cores; k++) { _Pragma("omp task") (void)k; })
    IN_A_TEAM("taskwait", _Pragma("omp task") (void)i; _Pragma("omp taskwait"))
    IN_A_TEAM("task-tree", _Pragma("omp single") tree(4);)
    if (strcmp(name, "lock") == 0) {
        #pragma omp target map(tofrom: got, sum)
        {
            omp_lock_t lock;
            omp_init_lock(&lock);
            #pragma omp parallel num_threads(cores)
            {
                for (int i = 0; i < times; i++) {
                    omp_set_lock(&lock);
                    sum++;
                    omp_unset_lock(&lock);
                }
                if (omp_get_thread_num() == 0)
                    got = omp_get_num_threads();
            }
            omp_destroy_lock(&lock);
        }
        return got;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            puts(names[i]);
        return 0;
    }
    if (argc != 4)
        return 2;
    return measure(argv[1], atoi(argv[2]), atoi(argv[3])) != atoi(argv[2]);
}
