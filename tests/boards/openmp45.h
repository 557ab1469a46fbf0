/* openmp45.h -- <omp.h> as OpenMP 4.5 has it (its appendix of interfaces), for a compiler of that time. */
#ifndef OPENMP_4_5
#define OPENMP_4_5
#include <stddef.h>
typedef struct {
    _Alignas(4) char bytes[4];
} omp_lock_t;
typedef struct {
    _Alignas(8) char bytes[16];
} omp_nest_lock_t;
typedef enum omp_sched_t { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto } omp_sched_t;
typedef enum omp_proc_bind_t {
    omp_proc_bind_false, omp_proc_bind_true, omp_proc_bind_master, omp_proc_bind_close, omp_proc_bind_spread
} omp_proc_bind_t;
typedef enum omp_lock_hint_t {
    omp_lock_hint_none = 0, omp_lock_hint_uncontended = 1, omp_lock_hint_contended = 2, omp_lock_hint_nonspeculative = 4,
    omp_lock_hint_speculative = 8
} omp_lock_hint_t;
extern void omp_set_num_threads(int);
extern int omp_get_num_threads(void), omp_get_max_threads(void), omp_get_thread_num(void), omp_get_num_procs(void);
extern int omp_in_parallel(void), omp_get_dynamic(void), omp_get_cancellation(void), omp_get_nested(void);
extern void omp_set_dynamic(int), omp_set_nested(int), omp_set_schedule(omp_sched_t, int);
extern void omp_get_schedule(omp_sched_t *, int *), omp_set_max_active_levels(int);
extern int omp_get_thread_limit(void), omp_get_max_active_levels(void), omp_get_level(void), omp_get_active_level(void);
extern int omp_get_ancestor_thread_num(int), omp_get_team_size(int), omp_in_final(void);
extern omp_proc_bind_t omp_get_proc_bind(void);
extern int omp_get_num_places(void), omp_get_place_num_procs(int), omp_get_place_num(void);
extern void omp_get_place_proc_ids(int, int *), omp_get_partition_place_nums(int *);
extern int omp_get_partition_num_places(void);
extern void omp_set_default_device(int);
extern int omp_get_default_device(void), omp_get_num_devices(void), omp_get_num_teams(void), omp_get_team_num(void);
extern int omp_is_initial_device(void), omp_get_initial_device(void), omp_get_max_task_priority(void);
extern void omp_init_lock(omp_lock_t *), omp_destroy_lock(omp_lock_t *), omp_set_lock(omp_lock_t *), omp_unset_lock(omp_lock_t *);
extern void omp_init_lock_with_hint(omp_lock_t *, omp_lock_hint_t);
extern int omp_test_lock(omp_lock_t *);
extern void omp_init_nest_lock(omp_nest_lock_t *), omp_destroy_nest_lock(omp_nest_lock_t *);
extern void omp_init_nest_lock_with_hint(omp_lock_t *, omp_lock_hint_t); /* sic: gcc 7 */
extern void omp_set_nest_lock(omp_nest_lock_t *), omp_unset_nest_lock(omp_nest_lock_t *);
extern int omp_test_nest_lock(omp_nest_lock_t *);
extern double omp_get_wtime(void), omp_get_wtick(void);
extern void *omp_target_alloc(size_t, int);
extern void omp_target_free(void *, int);
extern int omp_target_is_present(const void *, int);
extern int omp_target_memcpy(void *, const void *, size_t, size_t, size_t, int, int);
extern int omp_target_memcpy_rect(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *, const size_t *,
                                  const size_t *, int, int);
extern int omp_target_associate_ptr(const void *, const void *, size_t, size_t, int), omp_target_disassociate_ptr(const void *, int);
#endif
