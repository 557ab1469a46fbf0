/* api.c -- the device routines of <omp.h> for translated programs.

   Host-side OpenMP stays libgomp's, but libgomp knows nothing of our devices.  Every program and image is linked with
   `-Wl,--wrap=NAME` for each routine here (OMP_DEVICE_API in build.py), so that its calls arrive at `__wrap_NAME` by name and
   not by search order.  The default device is kept per task by libgomp: that one is forwarded. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int __real_omp_get_default_device(void);
void __real_omp_set_default_device(int number);

int __wrap_omp_get_num_devices(void);
int __wrap_omp_get_initial_device(void);
int __wrap_omp_get_device_num(void);
int __wrap_omp_is_initial_device(void);
int __wrap_omp_get_default_device(void);
void __wrap_omp_set_default_device(int number);
void *__wrap_omp_target_alloc(size_t size, int number);
void __wrap_omp_target_free(void *memory, int number);
int __wrap_omp_target_is_present(const void *host, int number);
int __wrap_omp_target_is_accessible(const void *host, size_t size, int number);
void *__wrap_omp_get_mapped_ptr(const void *host, int number);
int __wrap_omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_device,
                             int from_device);
int __wrap_omp_target_memcpy_rect(void *to, const void *from, size_t element, int ndims, const size_t *volume,
                                  const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                  const size_t *from_dimensions, int to_device, int from_device);
int __wrap_omp_target_associate_ptr(const void *host, const void *there, size_t size, size_t offset, int number);
int __wrap_omp_target_disassociate_ptr(const void *host, int number);

int __wrap_omp_get_num_devices(void) {
    return ompls_device_count();
}

int __wrap_omp_get_initial_device(void) {
    return ompls_device_count();
}

int __wrap_omp_get_device_num(void) {
    return ompls_device_count(); /* images have their own: this one runs on the initial device */
}

int __wrap_omp_is_initial_device(void) {
    return 1;
}

int __wrap_omp_get_default_device(void) {
    return __real_omp_get_default_device();
}

void __wrap_omp_set_default_device(int number) {
    __real_omp_set_default_device(number);
}

/* The opened device; *initial when the number means the host, where an unavailable device's constructs run too. */
static ompls_device *device_of(int number, bool *initial) {
    ompls_device *device = ompls_resolve(NULL, number);
    *initial = device == NULL && (number == OMPLS_DEVICE_INITIAL || number == ompls_device_count() || ompls_device_at(number) != NULL);
    return device;
}

void *__wrap_omp_target_alloc(size_t size, int number) {
    bool initial;
    ompls_device *device = device_of(number, &initial);
    if (size == 0) return NULL;
    if (device == NULL) return initial ? malloc(size) : NULL;
    ompls_address address = 0;
    ompls_error err = {0};
    return device->module->alloc(device->handle, size, &address, &err) == 0 ? (void *)(uintptr_t)address : NULL;
}

void __wrap_omp_target_free(void *memory, int number) {
    bool initial;
    ompls_device *device = device_of(number, &initial);
    if (memory == NULL) return;
    if (device == NULL) {
        if (initial) free(memory);
        return;
    }
    ompls_error err = {0};
    if (device->module->free(device->handle, (uintptr_t)memory, &err) != 0)
        ompls_fail_module((ompls_place){device, NULL}, "omp_target_free", &err);
}

int __wrap_omp_target_is_present(const void *host, int number) {
    bool initial;
    ompls_address address;
    ompls_device *device = device_of(number, &initial);
    if (device == NULL) return initial && host != NULL;
    return host != NULL && ompls_find_address(device, host, 0, &address);
}

int __wrap_omp_target_is_accessible(const void *host, size_t size, int number) {
    (void)size;
    bool initial;
    ompls_device *device = device_of(number, &initial);
    return device == NULL ? initial && host != NULL : device->properties.shares_host_memory != 0;
}

void *__wrap_omp_get_mapped_ptr(const void *host, int number) {
    bool initial;
    ompls_address address;
    ompls_device *device = device_of(number, &initial);
    if (device == NULL) return initial ? (void *)(uintptr_t)host : NULL;
    return host != NULL && ompls_find_address(device, host, 0, &address) ? (void *)(uintptr_t)address : NULL;
}

/* --- copies ---------------------------------------------------------------------------------------------------------- */

/* Two devices know nothing of each other: what goes between them passes through the host in parts. */
static int copy_between(ompls_device *to, ompls_address to_address, ompls_device *from, ompls_address from_address, size_t length) {
    enum { PART = 1 << 20 };
    ompls_error err = {0};
    char *part = malloc(length < PART ? length : PART);
    int failed = part == NULL;
    for (size_t done = 0; done < length && !failed; done += PART) {
        size_t now = length - done < PART ? length - done : PART;
        failed = from->module->copy_out(from->handle, part, from_address + done, now, &err) != 0 ||
                 to->module->copy_in(to->handle, to_address + done, part, now, &err) != 0;
    }
    free(part);
    return failed ? ENOMEM : 0;
}

static int copy(char *to, const char *from, size_t length, ompls_device *to_device, ompls_device *from_device) {
    ompls_error err = {0};
    if (length == 0) return 0;
    if (to_device == NULL && from_device == NULL) {
        memmove(to, from, length);
        return 0;
    }
    if (from_device == NULL) return to_device->module->copy_in(to_device->handle, (uintptr_t)to, from, length, &err);
    if (to_device == NULL) return from_device->module->copy_out(from_device->handle, to, (uintptr_t)from, length, &err);
    if (to_device == from_device)
        return to_device->module->copy_within(to_device->handle, (uintptr_t)to, (uintptr_t)from, length, &err);
    return copy_between(to_device, (uintptr_t)to, from_device, (uintptr_t)from, length);
}

static bool both(int to_number, int from_number, ompls_device **to, ompls_device **from) {
    bool to_initial, from_initial;
    *to = device_of(to_number, &to_initial);
    *from = device_of(from_number, &from_initial);
    return (*to != NULL || to_initial) && (*from != NULL || from_initial);
}

int __wrap_omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_number,
                             int from_number) {
    ompls_device *to_device, *from_device;
    if (!both(to_number, from_number, &to_device, &from_device)) return EINVAL;
    return copy((char *)to + to_offset, (const char *)from + from_offset, length, to_device, from_device);
}

/* The outermost dimension first, until one is left, which is contiguous. */
static int copy_rect(char *to, const char *from, size_t element, int ndims, const size_t *volume, const size_t *to_offsets,
                     const size_t *from_offsets, const size_t *to_dimensions, const size_t *from_dimensions,
                     ompls_device *to_device, ompls_device *from_device) {
    if (ndims == 1)
        return copy(to + to_offsets[0] * element, from + from_offsets[0] * element, volume[0] * element, to_device, from_device);
    size_t to_slice = element, from_slice = element;
    for (int i = 1; i < ndims; i++) {
        to_slice *= to_dimensions[i];
        from_slice *= from_dimensions[i];
    }
    for (size_t i = 0; i < volume[0]; i++) {
        int failed = copy_rect(to + (to_offsets[0] + i) * to_slice, from + (from_offsets[0] + i) * from_slice, element, ndims - 1,
                               volume + 1, to_offsets + 1, from_offsets + 1, to_dimensions + 1, from_dimensions + 1, to_device, from_device);
        if (failed) return failed;
    }
    return 0;
}

int __wrap_omp_target_memcpy_rect(void *to, const void *from, size_t element, int ndims, const size_t *volume,
                                  const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                  const size_t *from_dimensions, int to_number, int from_number) {
    if (to == NULL && from == NULL) return INT32_MAX; /* the question for the most dimensions: OpenMP 5.2 section 18.8.6 */
    ompls_device *to_device, *from_device;
    if (ndims < 1 || !both(to_number, from_number, &to_device, &from_device)) return EINVAL;
    return copy_rect(to, from, element, ndims, volume, to_offsets, from_offsets, to_dimensions, from_dimensions, to_device, from_device);
}

/* --- pointers that the program brings itself --------------------------------------------------------------------------- */

int __wrap_omp_target_associate_ptr(const void *host, const void *there, size_t size, size_t offset, int number) {
    ompls_device *device = ompls_resolve(NULL, number);
    if (device == NULL || host == NULL || there == NULL || size == 0) return EINVAL;
    uintptr_t begin = (uintptr_t)host;
    ompls_address address = (uintptr_t)there + offset;
    ompls_reference reference;
    ompls_entry *overlapping;
    pthread_mutex_lock(&device->table.lock);
    bool found = ompls_table_find(&device->table, begin, begin + size, &overlapping, &reference);
    int result = overlapping != NULL ? EINVAL : 0;
    if (found) {
        ompls_entry *entry = reference.entry;
        bool same = ompls_entry_count(entry) < 0 && !entry->owned && atomic_load(&entry->begin) == begin &&
                    atomic_load(&entry->end) == begin + size && atomic_load(&entry->device) == address;
        result = same ? 0 : EINVAL;
    } else if (result == 0) {
        ompls_table_insert(&device->table, begin, begin + size, address, "associated", false, false, true, &reference);
    }
    pthread_mutex_unlock(&device->table.lock);
    return result;
}

int __wrap_omp_target_disassociate_ptr(const void *host, int number) {
    ompls_device *device = ompls_resolve(NULL, number);
    if (device == NULL || host == NULL) return EINVAL;
    ompls_reference reference;
    ompls_entry *overlapping;
    pthread_mutex_lock(&device->table.lock);
    bool ours = ompls_table_find(&device->table, (uintptr_t)host, (uintptr_t)host + 1, &overlapping, &reference) &&
                atomic_load(&reference.entry->begin) == (uintptr_t)host && !reference.entry->owned;
    if (ours && ompls_table_drop(&device->table, &reference, OMPLS_DROP_ANY)) ompls_table_recycle(&device->table, reference.entry);
    pthread_mutex_unlock(&device->table.lock);
    return ours ? 0 : EINVAL;
}
