/* queries.c -- what a kernel may ask of OpenMP: each answer is a number in the block of its core. */
#include "chip.h"

int omp_get_thread_num(void) { core *c = self(); return c->team != 0 ? (int)c->number : 0; }
int omp_get_num_threads(void) { core *c = self(); return c->team != 0 ? (int)c->team->threads : 1; }
int omp_in_final(void) { return self()->in_final != 0; }
int omp_get_team_num(void) { return (int)self()->league; }
int omp_get_num_teams(void) { return (int)self()->teams; }
int omp_get_max_teams(void) { return 0; }
int omp_get_teams_thread_limit(void) { return 0; }
int omp_get_num_procs(void) { return (int)epi_cores(&control()->geometry); }

/* A parallel region inside another one has one thread: that of level 1 alone may have more. */
int omp_get_level(void) { return (int)self()->level; }
int omp_in_parallel(void) { core *c = self(); return c->level > 0 && c->outermost > 1; }
int omp_get_active_level(void) { return omp_in_parallel(); }
int omp_get_max_active_levels(void) { return self()->flat == 0; }
void omp_set_max_active_levels(int levels) {
    if (levels >= 0) self()->flat = levels == 0;
}
int omp_get_supported_active_levels(void) { return 1; }
int omp_get_nested(void) { return 0; }

int omp_get_ancestor_thread_num(int level) {
    core *c = self();
    if (level < 0 || level > (int)c->level) return -1;
    return level == 1 ? (int)c->outer : 0;
}

int omp_get_team_size(int level) {
    core *c = self();
    if (level < 0 || level > (int)c->level) return -1;
    return level == 1 ? (int)c->outermost : 1;
}

/* A team has the cores that are free, so its size is dynamic. */
int omp_get_dynamic(void) { return 1; }

void omp_set_num_threads(int number) {
    if (number > 0) self()->threads = (uint32_t)number;
}

int omp_get_max_threads(void) {
    core *c = self();
    if (c->team != 0) return 1;
    return (int)(c->threads != 0 && c->threads < c->most ? c->threads : c->most);
}

int omp_get_thread_limit(void) { return (int)self()->most; }

int omp_get_cancellation(void) { return control()->cancellation != 0; }
int omp_get_proc_bind(void) { return 0; }
int omp_get_num_places(void) { return 0; }
int omp_get_max_task_priority(void) { return 0; }
int omp_is_free_agent(void) { return 0; }
int omp_ancestor_is_free_agent(int level) { return (void)level, 0; }
double omp_get_wtime(void) { return chip_seconds(); }
double omp_get_wtick(void) { return 1e-6; }

/* `error at(execution)`: nobody hears a core, so a warning is lost, and what is fatal is a fault. */
void GOMP_warning(const char *message, size_t size) { (void)message, (void)size; }
_Noreturn void GOMP_error(const char *message, size_t size) {
    (void)message, (void)size;
    __builtin_trap();
}
