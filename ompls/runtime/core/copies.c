/* copies.c -- the copying routines of <omp.h>: between host and devices, devices among themselves, rectangles, filling. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int __wrap_omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_device,
                             int from_device);
int __wrap_omp_target_memcpy_rect(void *to, const void *from, size_t element, int ndims, const size_t *volume,
                                  const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                  const size_t *from_dimensions, int to_device, int from_device);
void *__wrap_omp_target_memset(void *memory, int value, size_t count, int number);

/* What a routine returns; a device that has just been lost is told, whatever the program makes of that. */
static int told(int failed, const ompls_error *err) {
    if (failed != 0 && err->fatal == OMPLS_LOST_NOW)
        ompls_warn("a device is lost while memory is copied: %s%s%s", err->reason, err->hint[0] != '\0' ? "; " : "", err->hint);
    return failed;
}

/* Two devices of one module may copy to each other; between others it passes through the host in parts. */
static int copy_between(ompls_device *to, ompls_address to_address, ompls_device *from, ompls_address from_address, size_t length) {
    enum { PART = 1 << 20 };
    ompls_error err = {0};
    bool peers = to->module == from->module && to->module->copy_peer != NULL;
    int failed = peers ? to->module->copy_peer(to->handle, to_address, from->handle, from_address, length, &err) : -1;
    if (failed >= 0) return told(failed, &err);
    char *part = malloc(length < PART ? length : PART);
    failed = part == NULL;
    for (size_t done = 0; done < length && !failed; done += PART) {
        size_t now = length - done < PART ? length - done : PART;
        failed = from->module->copy_out(from->handle, part, from_address + done, now, &err) != 0 ||
                 to->module->copy_in(to->handle, to_address + done, part, now, &err) != 0;
    }
    free(part);
    return told(failed ? ENOMEM : 0, &err);
}

static int copy(char *to, const char *from, size_t length, ompls_device *to_device, ompls_device *from_device) {
    ompls_error err = {0};
    if (length == 0) return 0;
    if (to == NULL || from == NULL) return EINVAL;
    if ((to_device == NULL && from_device == NULL) || ompls_shared_memory) {
        memmove(to, from, length);
        return 0;
    }
    if (from_device == NULL) return told(to_device->module->copy_in(to_device->handle, (uintptr_t)to, from, length, &err), &err);
    if (to_device == NULL) return told(from_device->module->copy_out(from_device->handle, to, (uintptr_t)from, length, &err), &err);
    if (to_device == from_device)
        return told(to_device->module->copy_within(to_device->handle, (uintptr_t)to, (uintptr_t)from, length, &err), &err);
    return copy_between(to_device, (uintptr_t)to, from_device, (uintptr_t)from, length);
}

static bool both(int to_number, int from_number, ompls_device **to, ompls_device **from) {
    bool to_initial, from_initial;
    *to = ompls_device_of(to_number, &to_initial);
    *from = ompls_device_of(from_number, &from_initial);
    return (*to != NULL || to_initial) && (*from != NULL || from_initial);
}

int __wrap_omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_number,
                             int from_number) {
    ompls_device *to_device, *from_device;
    if (!both(to_number, from_number, &to_device, &from_device)) return EINVAL;
    return copy((char *)to + to_offset, (const char *)from + from_offset, length, to_device, from_device);
}

/* Between two devices that do it at once.  Below 0: they do not. */
static int copy_rows(char *to, const char *from, size_t element, int ndims, const size_t *volume, const size_t *to_offsets,
                     const size_t *from_offsets, const size_t *to_dimensions, const size_t *from_dimensions, ompls_device *to_device,
                     ompls_device *from_device) {
    enum { MOST = 8 };
    uint64_t counts[MOST], to_strides[MOST], from_strides[MOST], to_size = element, from_size = element;
    bool peers = to_device != NULL && from_device != NULL && to_device != from_device && to_device->module == from_device->module;
    if (!peers || to_device->module->copy_peer_rows == NULL || ompls_shared_memory || ndims > MOST) return -1;
    ompls_error err = {0};
    for (int i = ndims - 1; i >= 0; i--) {
        to += to_offsets[i] * to_size, from += from_offsets[i] * from_size;
        counts[i] = volume[i], to_strides[i] = to_size, from_strides[i] = from_size;
        to_size *= to_dimensions[i], from_size *= from_dimensions[i];
    }
    int failed = to_device->module->copy_peer_rows(to_device->handle, (uintptr_t)to, from_device->handle, (uintptr_t)from,
                                                   volume[ndims - 1] * element, (uint32_t)ndims - 1, counts, to_strides, from_strides, &err);
    return told(failed, &err);
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
    if (ndims < 1 || volume == NULL || to_offsets == NULL || from_offsets == NULL || to_dimensions == NULL || from_dimensions == NULL) return EINVAL;
    if (to == NULL || from == NULL || !both(to_number, from_number, &to_device, &from_device)) return EINVAL;
    int failed = copy_rows(to, from, element, ndims, volume, to_offsets, from_offsets, to_dimensions, from_dimensions, to_device, from_device);
    if (failed >= 0) return failed;
    return copy_rect(to, from, element, ndims, volume, to_offsets, from_offsets, to_dimensions, from_dimensions, to_device, from_device);
}

/* --- filling (OpenMP 6.0) ------------------------------------------------------------------------------------------------ */

void *__wrap_omp_target_memset(void *memory, int value, size_t count, int number) {
    enum { PART = 1 << 16 };
    bool initial;
    ompls_device *device = ompls_device_of(number, &initial);
    if (count == 0) return memory;
    if (device == NULL) return initial ? memset(memory, value, count) : memory;
    char *part = malloc(PART);
    if (part == NULL) return memory;
    memset(part, value, PART);
    for (size_t done = 0; done < count; done += PART)
        if (copy((char *)memory + done, part, count - done < PART ? count - done : PART, device, NULL) != 0) break;
    free(part);
    return memory;
}

OMPLS_ALSO_AS(omp_target_memcpy);
OMPLS_ALSO_AS(omp_target_memcpy_rect);
OMPLS_ALSO_AS(omp_target_memset);
