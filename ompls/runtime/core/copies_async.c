/* copies_async.c -- the copying routines of <omp.h> that are tasks (OpenMP 5.2 section 18.8.7): each runs when its depend
   objects allow it, beside the caller.  What cannot be a copy at all is said at once; a copy that fails later ends the
   program, since nobody is left to be told. */
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int __wrap_omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_device,
                             int from_device);
int __wrap_omp_target_memcpy_rect(void *to, const void *from, size_t element, int ndims, const size_t *volume,
                                  const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                  const size_t *from_dimensions, int to_device, int from_device);
int __wrap_omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset,
                                   int to_device, int from_device, int ndepend, void *depend);
int __wrap_omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int ndims, const size_t *volume,
                                        const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                        const size_t *from_dimensions, int to_device, int from_device, int ndepend,
                                        void *depend);
void *__wrap_omp_target_memset(void *memory, int value, size_t count, int number);
void *__wrap_omp_target_memset_async(void *memory, int value, size_t count, int number, int ndepend, void *depend);

typedef struct {
    ompls_task task;
    void *to;
    const void *from;
    size_t length; /* of a rectangle: of an element */
    int to_device, from_device, value, ndims;
    size_t shape[]; /* volume, offsets, dimensions, of `ndims` each; or the two offsets */
} copy;

enum { SHAPES = 5 };

static bool is_device(int number) {
    bool initial;
    return ompls_device_of(number, &initial) != NULL || initial;
}

static copy *make(void (*run)(ompls_task *), size_t nshape) {
    size_t bytes = sizeof(copy) + nshape * sizeof(size_t);
    copy *made = calloc(1, bytes);
    if (made == NULL) ompls_fail((ompls_place){0}, NULL, "out of memory for an asynchronous copy");
    made->task.bytes = bytes;
    made->task.run = run;
    return made;
}

static void submit(copy *made, int ndepend, void *objects) {
    struct omp_object {
        void *words[2];
    } *object = objects;
    if (ndepend < 0 || objects == NULL) ndepend = 0;
    ompls_depend *depend = ndepend > 0 ? malloc((size_t)ndepend * sizeof *depend) : NULL;
    if (ndepend > 0 && depend == NULL) ompls_fail((ompls_place){0}, NULL, "out of memory for an asynchronous copy");
    for (int i = 0; i < ndepend; i++) depend[i] = (ompls_depend){&object[i], OMPLS_DEPEND_OBJECT};
    ompls_task_submit(&made->task, (uint32_t)ndepend, depend);
    free(depend);
}

static void must_do(int failed, const char *what) {
    if (failed != 0) ompls_fail((ompls_place){0}, "look whether both addresses are of those devices", "%s failed: %s", what, strerror(failed));
}

static void run_memcpy(ompls_task *task) {
    copy *c = (copy *)task;
    must_do(__wrap_omp_target_memcpy(c->to, c->from, c->length, c->shape[0], c->shape[1], c->to_device, c->from_device),
            "omp_target_memcpy_async");
}

int __wrap_omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset,
                                   int to_device, int from_device, int ndepend, void *depend) {
    if (!is_device(to_device) || !is_device(from_device)) return EINVAL;
    copy *made = make(run_memcpy, 2);
    made->to = to;
    made->from = from;
    made->length = length;
    made->to_device = to_device;
    made->from_device = from_device;
    made->shape[0] = to_offset;
    made->shape[1] = from_offset;
    submit(made, ndepend, depend);
    return 0;
}

static void run_rect(ompls_task *task) {
    copy *c = (copy *)task;
    const size_t *shape = c->shape, n = (size_t)c->ndims;
    must_do(__wrap_omp_target_memcpy_rect(c->to, c->from, c->length, c->ndims, shape, shape + n, shape + 2 * n, shape + 3 * n,
                                          shape + 4 * n, c->to_device, c->from_device),
            "omp_target_memcpy_rect_async");
}

int __wrap_omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int ndims, const size_t *volume,
                                        const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                        const size_t *from_dimensions, int to_device, int from_device, int ndepend,
                                        void *depend) {
    if ((to == NULL && from == NULL) || ndims < 1 || !is_device(to_device) || !is_device(from_device))
        return __wrap_omp_target_memcpy_rect(to, from, element, ndims, volume, to_offsets, from_offsets, to_dimensions,
                                             from_dimensions, to_device, from_device); /* a question or an error */
    const size_t *const shapes[SHAPES] = {volume, to_offsets, from_offsets, to_dimensions, from_dimensions};
    copy *made = make(run_rect, SHAPES * (size_t)ndims);
    made->to = to;
    made->from = from;
    made->length = element;
    made->ndims = ndims;
    made->to_device = to_device;
    made->from_device = from_device;
    for (size_t i = 0; i < SHAPES; i++) memcpy(made->shape + i * (size_t)ndims, shapes[i], (size_t)ndims * sizeof *volume);
    submit(made, ndepend, depend);
    return 0;
}

static void run_memset(ompls_task *task) {
    copy *c = (copy *)task;
    __wrap_omp_target_memset(c->to, c->value, c->length, c->to_device);
}

void *__wrap_omp_target_memset_async(void *memory, int value, size_t count, int number, int ndepend, void *depend) {
    if (!is_device(number)) return memory;
    copy *made = make(run_memset, 0);
    made->to = memory;
    made->value = value;
    made->length = count;
    made->to_device = number;
    submit(made, ndepend, depend);
    return memory;
}

OMPLS_ALSO_AS(omp_target_memcpy_async);
OMPLS_ALSO_AS(omp_target_memcpy_rect_async);
OMPLS_ALSO_AS(omp_target_memset_async);
