/* omp.h -- the compiler's <omp.h> and what gcc 12's does not know yet, of which the core has all the routines; and the types that
   gcc 7's lacks (OpenMP 4.5). */
#include_next <omp.h>
#ifndef OMPLS_OMP_H
#define OMPLS_OMP_H
#if defined(__GNUC__) && !defined(__clang__)
#ifdef __cplusplus
extern "C" {
#endif
#if __GNUC__ < 9
typedef struct omp_depend_t {
    void *ompls_depend_t_[2];
} omp_depend_t;
typedef omp_lock_hint_t omp_sync_hint_t;
typedef enum omp_pause_resource_t { omp_pause_soft = 1, omp_pause_hard = 2 } omp_pause_resource_t;
extern int omp_pause_resource(omp_pause_resource_t, int);
extern int omp_pause_resource_all(omp_pause_resource_t);
#endif
#if __GNUC__ < 10
extern int omp_get_device_num(void);
#endif
#if __GNUC__ < 12
extern void omp_display_env(int);
#endif
#if __GNUC__ < 13
enum { omp_initial_device = -1, omp_invalid_device = -4 };
extern int omp_target_is_accessible(const void *, __SIZE_TYPE__, int);
extern void *omp_get_mapped_ptr(const void *, int);
extern int omp_target_memcpy_async(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, int, int, int,
                                   omp_depend_t *);
extern int omp_target_memcpy_rect_async(void *, const void *, __SIZE_TYPE__, int, const __SIZE_TYPE__ *,
                                        const __SIZE_TYPE__ *, const __SIZE_TYPE__ *, const __SIZE_TYPE__ *,
                                        const __SIZE_TYPE__ *, int, int, int, omp_depend_t *);
#endif
#if __GNUC__ < 15
/* Interoperability: no foreign runtime is offered, so an object is never anything but omp_interop_none. */
typedef __INTPTR_TYPE__ omp_intptr_t;
typedef enum omp_interop_t { omp_interop_none = 0, ompls_interop_t_max_ = __UINTPTR_MAX__ } omp_interop_t;
typedef enum omp_interop_fr_t {
    omp_ifr_cuda = 1, omp_ifr_cuda_driver = 2, omp_ifr_opencl = 3, omp_ifr_sycl = 4, omp_ifr_hip = 5,
    omp_ifr_level_zero = 6, omp_ifr_hsa = 7, omp_ifr_last = 7
} omp_interop_fr_t;
typedef enum omp_interop_property_t {
    omp_ipr_fr_id = -1, omp_ipr_fr_name = -2, omp_ipr_vendor = -3, omp_ipr_vendor_name = -4, omp_ipr_device_num = -5,
    omp_ipr_platform = -6, omp_ipr_device = -7, omp_ipr_device_context = -8, omp_ipr_targetsync = -9,
    omp_ipr_first = -9
} omp_interop_property_t;
typedef enum omp_interop_rc_t {
    omp_irc_no_value = 1, omp_irc_success = 0, omp_irc_empty = -1, omp_irc_out_of_range = -2, omp_irc_type_int = -3,
    omp_irc_type_ptr = -4, omp_irc_type_str = -5, omp_irc_other = -6
} omp_interop_rc_t;
extern int omp_get_num_interop_properties(const omp_interop_t);
extern omp_intptr_t omp_get_interop_int(const omp_interop_t, omp_interop_property_t, omp_interop_rc_t *);
extern void *omp_get_interop_ptr(const omp_interop_t, omp_interop_property_t, omp_interop_rc_t *);
extern const char *omp_get_interop_str(const omp_interop_t, omp_interop_property_t, omp_interop_rc_t *);
extern const char *omp_get_interop_name(const omp_interop_t, omp_interop_property_t);
extern const char *omp_get_interop_type_desc(const omp_interop_t, omp_interop_property_t);
extern const char *omp_get_interop_rc_desc(const omp_interop_t, omp_interop_rc_t);
#endif
#if __GNUC__ < 16
typedef enum omp_control_tool_t {
    omp_control_tool_start = 1, omp_control_tool_pause = 2, omp_control_tool_flush = 3, omp_control_tool_end = 4
} omp_control_tool_t;
typedef enum omp_control_tool_result_t {
    omp_control_tool_notool = -2, omp_control_tool_nocallback = -1, omp_control_tool_success = 0,
    omp_control_tool_ignored = 1
} omp_control_tool_result_t;
extern int omp_control_tool(int, int, void *);
enum { omp_default_device = -5 };
/* Traits of OpenMP 6.0: where memory is, and who uses it, is all the same for the host's allocators. */
#define omp_atk_pin_device ((omp_alloctrait_key_t)9)
#define omp_atk_preferred_device ((omp_alloctrait_key_t)10)
#define omp_atk_device_access ((omp_alloctrait_key_t)11)
#define omp_atk_target_access ((omp_alloctrait_key_t)12)
#define omp_atk_atomic_scope ((omp_alloctrait_key_t)13)
#define omp_atk_part_size ((omp_alloctrait_key_t)14)
#define omp_atv_device 22
#define omp_atv_single 20
#define omp_atv_multiple 21
extern int omp_is_free_agent(void);
extern int omp_ancestor_is_free_agent(int);
extern const char *omp_get_uid_from_device(int);
extern int omp_get_device_from_uid(const char *);
extern void *omp_target_calloc(__SIZE_TYPE__, __SIZE_TYPE__, int);
extern void *omp_target_memset(void *, int, __SIZE_TYPE__, int);
extern void *omp_target_memset_async(void *, int, __SIZE_TYPE__, int, int, omp_depend_t *);
#endif
/* An extension: the device with the fewest target regions under way or waiting, those that are idle in turn. */
extern int ompls_next_idle_device(void);
#ifdef __cplusplus
}
#endif
#endif
#endif
