/* api.c -- the device routines of <omp.h> for translated programs.

   Host-side OpenMP stays libgomp's, but libgomp knows nothing of our devices.  Every program and image is linked with
   `-Wl,--wrap=NAME` for each routine here (OMP_DEVICE_API in build.py), so that its calls arrive at `__wrap_NAME` by name and
   not by search order.  The default device is kept per task by libgomp: that one is forwarded. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>

void *__wrap_omp_target_memset(void *memory, int value, size_t count, int number); /* copies.c */
void __real_omp_set_default_device(int number);

int __wrap_omp_get_num_devices(void);
int __wrap_omp_get_initial_device(void);
int __wrap_omp_get_device_num(void);
int __wrap_omp_is_initial_device(void);
int __wrap_omp_get_default_device(void);
void __wrap_omp_set_default_device(int number);
void *__wrap_omp_target_alloc(size_t size, int number);
void *__wrap_omp_target_calloc(size_t count, size_t size, int number);
void __wrap_omp_target_free(void *memory, int number);
int __wrap_omp_target_is_present(const void *host, int number);
int __wrap_omp_target_is_accessible(const void *host, size_t size, int number);
void *__wrap_omp_get_mapped_ptr(const void *host, int number);
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
    return ompls_default_device();
}

void __wrap_omp_set_default_device(int number) {
    ompls_default_device_is_said();
    __real_omp_set_default_device(number);
}

/* One that could not be opened is the host; of one that is closed already addresses may still be there, which are not the host's. */
ompls_device *ompls_device_of(int number, bool *initial) {
    ompls_device *device = ompls_resolve(NULL, number), *named = ompls_device_at(number);
    bool hosted = named != NULL && atomic_load(&named->status) != OMPLS_ENDED;
    *initial = device == NULL && (number == OMPLS_DEVICE_INITIAL || number == ompls_device_count() || hosted);
    return device;
}

void *__wrap_omp_target_alloc(size_t size, int number) {
    bool initial;
    ompls_device *device = ompls_device_of(number, &initial);
    if (size == 0) return NULL;
    if (device == NULL || ompls_shared_memory) return device != NULL || initial ? malloc(size) : NULL;
    ompls_address address = 0;
    ompls_error err = {0};
    return device->module->alloc(device->handle, size, &address, &err) == 0 ? (void *)(uintptr_t)address : NULL;
}

void *__wrap_omp_target_calloc(size_t count, size_t size, int number) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    void *memory = __wrap_omp_target_alloc(bytes, number);
    if (memory != NULL) __wrap_omp_target_memset(memory, 0, bytes, number);
    return memory;
}

void __wrap_omp_target_free(void *memory, int number) {
    bool initial;
    ompls_device *device = ompls_device_of(number, &initial);
    if (memory == NULL) return;
    if (device == NULL || ompls_shared_memory) {
        if (device != NULL || initial) free(memory);
        return;
    }
    ompls_error err = {0};
    if (device->module->free(device->handle, (uintptr_t)memory, &err) != 0 && !ompls_closed_by_another(device))
        ompls_fail_module((ompls_place){device, NULL}, "omp_target_free", &err);
}

int __wrap_omp_target_is_present(const void *host, int number) {
    bool initial;
    ompls_address address;
    ompls_device *device = ompls_device_of(number, &initial);
    if (device == NULL) return initial && host != NULL;
    return host != NULL && ompls_find_address(device, host, 0, &address);
}

int __wrap_omp_target_is_accessible(const void *host, size_t size, int number) {
    (void)size;
    bool initial;
    ompls_device *device = ompls_device_of(number, &initial);
    return device == NULL ? initial && host != NULL : device->properties.shares_host_memory != 0;
}

void *__wrap_omp_get_mapped_ptr(const void *host, int number) {
    bool initial;
    ompls_address address;
    ompls_device *device = ompls_device_of(number, &initial);
    if (device == NULL) return initial ? (void *)(uintptr_t)host : NULL;
    return host != NULL && ompls_find_address(device, host, 0, &address) ? (void *)(uintptr_t)address : NULL;
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
        ompls_entry *entry = ompls_table_insert(&device->table, begin, begin + size, "associated");
        ompls_entry_arrived(&device->table, entry, address, false, OMPLS_COUNT_FOR_EVER, &reference);
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
    if (ours && ompls_release(&reference, OMPLS_DROP_ANY) == OMPLS_LAST) ompls_table_remove(&device->table, reference.entry);
    pthread_mutex_unlock(&device->table.lock);
    return ours ? 0 : EINVAL;
}

OMPLS_ALSO_AS(omp_get_num_devices);
OMPLS_ALSO_AS(omp_get_initial_device);
OMPLS_ALSO_AS(omp_get_device_num);
OMPLS_ALSO_AS(omp_target_alloc);
OMPLS_ALSO_AS(omp_target_calloc);
OMPLS_ALSO_AS(omp_target_free);
OMPLS_ALSO_AS(omp_target_is_present);
OMPLS_ALSO_AS(omp_target_is_accessible);
OMPLS_ALSO_AS(omp_get_mapped_ptr);
OMPLS_ALSO_AS(omp_target_associate_ptr);
OMPLS_ALSO_AS(omp_target_disassociate_ptr);
