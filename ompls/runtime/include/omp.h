/* omp.h -- the compiler's <omp.h> and the device routines that gcc 12's does not know yet; the core has them all. */
#include_next <omp.h>
#ifndef OMPLS_OMP_H
#define OMPLS_OMP_H
#if defined(__GNUC__) && !defined(__clang__)
#ifdef __cplusplus
extern "C" {
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
#if __GNUC__ < 16
enum { omp_default_device = -5 };
extern const char *omp_get_uid_from_device(int);
extern int omp_get_device_from_uid(const char *);
extern void *omp_target_calloc(__SIZE_TYPE__, __SIZE_TYPE__, int);
extern void *omp_target_memset(void *, int, __SIZE_TYPE__, int);
extern void *omp_target_memset_async(void *, int, __SIZE_TYPE__, int, int, omp_depend_t *);
#endif
#ifdef __cplusplus
}
#endif
#endif
#endif
