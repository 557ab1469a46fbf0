/* newer.c -- routines of OpenMP 5.0 to 6.0 that older versions of libgomp lack and that are about no device; linked into
   images of class `default`, too.

   Those that libgomp has are not replaced: where it is linked as a shared library the program's own come first, and they
   say the same.  `omp_init_allocator` is wrapped: libgomp refuses the traits of OpenMP 6.0 that it does not know, which
   say where memory should be; all of the host's memory is in one place. */
#include "core.h"
#include <omp.h>
#include <stdlib.h>

enum { FIRST_TRAIT_OF_6_0 = 9, EMPTY = -1 };

#if __GNUC__ >= 11 /* else libgomp has no allocators */

omp_allocator_handle_t __real_omp_init_allocator(omp_memspace_handle_t space, int count, const omp_alloctrait_t traits[]);
omp_allocator_handle_t __wrap_omp_init_allocator(omp_memspace_handle_t space, int count, const omp_alloctrait_t traits[]);
omp_allocator_handle_t __wrap_omp_init_allocator(omp_memspace_handle_t space, int count, const omp_alloctrait_t traits[]) {
    if (count <= 0) return __real_omp_init_allocator(space, count, traits);
    omp_alloctrait_t *known = malloc((size_t)count * sizeof *known);
    if (known == NULL) return omp_null_allocator;
    int kept = 0;
    for (int i = 0; i < count; i++)
        if ((int)traits[i].key < FIRST_TRAIT_OF_6_0) known[kept++] = traits[i];
    omp_allocator_handle_t made = __real_omp_init_allocator(space, kept, known);
    free(known);
    return made;
}
#endif

/* gcc 12 declares them, and its libgomp lacks them.  A hint may always be ignored. */
void omp_init_lock_with_hint(omp_lock_t *lock, omp_lock_hint_t hint) {
    (void)hint;
    omp_init_lock(lock);
}

/* By another name here: the <omp.h> of gcc 7 declares it for locks of the other kind. */
void ompls_nest_lock_with_hint(omp_nest_lock_t *lock, omp_lock_hint_t hint) __asm__("omp_init_nest_lock_with_hint");
void ompls_nest_lock_with_hint(omp_nest_lock_t *lock, omp_lock_hint_t hint) {
    (void)hint;
    omp_init_nest_lock(lock);
}

/* Tools of ours (tools.c) know no commands. */
int omp_control_tool(int command, int modifier, void *argument);
int omp_control_tool(int command, int modifier, void *argument) {
    enum { NO_TOOL = -2 };
    (void)command, (void)modifier, (void)argument;
    return NO_TOOL;
}

/* No thread of ours runs tasks of other teams. */
int omp_is_free_agent(void);
int omp_is_free_agent(void) { return 0; }
int omp_ancestor_is_free_agent(int level);
int omp_ancestor_is_free_agent(int level) {
    (void)level;
    return 0;
}

/* Interoperability objects are always omp_interop_none (runtime/include/omp.h has the types): they have no properties. */
int omp_get_num_interop_properties(const uintptr_t object);
int omp_get_num_interop_properties(const uintptr_t object) {
    (void)object;
    return 0;
}

static void nothing(int *code) {
    if (code != NULL) *code = EMPTY;
}

intptr_t omp_get_interop_int(const uintptr_t object, int property, int *code);
intptr_t omp_get_interop_int(const uintptr_t object, int property, int *code) {
    (void)object, (void)property;
    nothing(code);
    return 0;
}

void *omp_get_interop_ptr(const uintptr_t object, int property, int *code);
void *omp_get_interop_ptr(const uintptr_t object, int property, int *code) {
    (void)object, (void)property;
    nothing(code);
    return NULL;
}

const char *omp_get_interop_str(const uintptr_t object, int property, int *code);
const char *omp_get_interop_str(const uintptr_t object, int property, int *code) {
    (void)object, (void)property;
    nothing(code);
    return NULL;
}

const char *omp_get_interop_name(const uintptr_t object, int property);
const char *omp_get_interop_name(const uintptr_t object, int property) {
    static const char *const names[] = {"fr_id", "fr_name", "vendor", "vendor_name", "device_num",
                                        "platform", "device", "device_context", "targetsync"};
    (void)object;
    return property < 0 && property >= -9 ? names[-property - 1] : NULL;
}

const char *omp_get_interop_type_desc(const uintptr_t object, int property);
const char *omp_get_interop_type_desc(const uintptr_t object, int property) {
    static const char *const types[] = {"omp_interop_fr_t", "const char *", "int", "const char *", "int",
                                        "void *", "void *", "void *", "void *"};
    (void)object;
    return property < 0 && property >= -9 ? types[-property - 1] : NULL;
}

const char *omp_get_interop_rc_desc(const uintptr_t object, int code);
const char *omp_get_interop_rc_desc(const uintptr_t object, int code) {
    (void)object;
    return code == 0 ? "success" : code == EMPTY ? "the object is omp_interop_none" : code > 0 ? "no value" : "no such property";
}
