/* core.h -- what the files of the core share; nothing outside of it includes this.

   One present table a device, shared by all host threads.  An entry that is present is found and counted without a lock:
   its `state` word carries a generation, so a count can only be raised on the very entry that was found (see present.c).
   Everything that changes the set of entries holds the table's lock; allocations and copies are made without it, while the
   entry is on its way. */
#ifndef OMPLS_CORE_H
#define OMPLS_CORE_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "ompls.h"

#define OMPLS_LIKELY(x) __builtin_expect(!!(x), 1)
#define OMPLS_UNLIKELY(x) __builtin_expect(!!(x), 0)

enum { OMPLS_EXIT_CODE = 125 };

/* As libgomp's waits, ours are no cancellation points: who ends in one would keep the lock. */
static inline void ompls_await(pthread_cond_t *condition, pthread_mutex_t *lock) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_cond_wait(condition, lock);
    pthread_setcancelstate(before, &before);
}

struct ompls_entry;
/* A counted reference to an entry. */
typedef struct {
    struct ompls_entry *entry; /* 0: nothing was mapped */
    uint64_t generation;
} ompls_reference;

/* A pointer inside an entry that was made to point to device memory.  A copy of the entry must leave it alone. */
typedef struct {
    uint64_t offset;    /* of the pointer, in the entry */
    uint64_t value;     /* the device address it holds on the device */
    uintptr_t host;     /* what that corresponds to */
    ompls_reference to; /* where it leads; not counted */
    bool follows;       /* nobody attached it: it leads to what corresponds to the host's pointer (globals.c), which begins as `host` in `to` */
} ompls_attachment;
/* In the order of their offsets. */
typedef struct {
    uint32_t count, room;
    ompls_attachment of[];
} ompls_attachments;

/* What of an entry stands in one bucket of the table. */
typedef struct ompls_link {
    _Atomic(struct ompls_link *) next;
    _Atomic uint64_t key;
    struct ompls_entry *entry;
} ompls_link;

/* One mapped range of host memory.  Never freed while the device is open, only reused. */
typedef struct ompls_entry {
    _Atomic uint64_t state;        /* generation, hold count, dynamic count (both 0: on its way in or out): see present.c */
    _Atomic uintptr_t begin, end;  /* host range */
    _Atomic ompls_address device;  /* where `begin` lies on the device */
    _Atomic uint64_t mark;         /* not 0: a copy to it has been started; who uses it follows this mark (device.h) */
    _Atomic(ompls_attachments *) attachments; /* changed under the table's lock */
    uintptr_t base;                /* its base address: below `begin` or behind `end` where a section lies so, `begin` else */
    const char *name;              /* the list item that brought it */
    bool owned;                    /* the core allocated it and frees it */
    bool returns;                  /* who brought it has asked for it back */
    bool lent;                     /* it is the host's own memory: nothing is copied */
    uint8_t skew;                  /* how far behind the allocation's beginning `device` lies, when it is owned */
    struct ompls_block *block;     /* the allocation, when it is shared with other entries */
    struct ompls_entry *next_free;
    bool visiting;  /* its bytes are the host's for now: fallback.c, under the lock of that */
    uint32_t place; /* in the table's list */
    ompls_link links[2];
} ompls_entry;

typedef struct ompls_buckets ompls_buckets;
typedef struct ompls_chunk ompls_chunk;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    _Atomic uint32_t waiting; /* for something that is on its way */
    _Atomic(ompls_buckets *) buckets;
    _Atomic uint64_t classes; /* bit c: there are entries of size class c */
    uint32_t in_class[64];
    ompls_entry **entries; /* all of them, in no order */
    uint32_t room;
    _Atomic uint32_t count;
    uint32_t extended; /* entries whose base address is not in them */
    ompls_entry *free;
    ompls_chunk *chunks;
    uint64_t acquisitions, contended; /* of the lock; contended: somebody had to sleep for it */
    uint64_t visited;                 /* links that were looked at with the lock held */
} ompls_table;

typedef enum { OMPLS_STILL_PRESENT, OMPLS_LAST, OMPLS_GONE } ompls_release_result;
typedef enum {
    OMPLS_DROP_ONE,
    OMPLS_DROP_HOLD,
    OMPLS_DROP_DYNAMIC, /* `delete`: the whole dynamic count */
    OMPLS_DROP_ANY      /* also what is there for ever (omp_target_disassociate_ptr) */
} ompls_drop_kind;
typedef enum { OMPLS_COUNT_ONE, OMPLS_COUNT_HOLD, OMPLS_COUNT_FOR_EVER } ompls_count_kind;

void ompls_table_init(ompls_table *table);
void ompls_table_destroy(ompls_table *table);
/* Find the entry that contains [begin, end) and count one up.  No lock.  False when absent (or just changing). */
bool ompls_table_acquire(ompls_table *table, uintptr_t begin, uintptr_t end, bool hold, ompls_reference *out);
/* The same for an entry that is probably the right one. */
bool ompls_entry_acquire(ompls_entry *entry, uintptr_t begin, uintptr_t end, bool hold, ompls_reference *out);
/* It can be counted no further: then it is not. */
bool ompls_entry_full(const ompls_entry *entry, bool hold);
/* Count down.  No lock.  OMPLS_LAST means: the entry is on its way out; the caller copies, frees, and calls ompls_table_remove. */
ompls_release_result ompls_release(const ompls_reference *reference, ompls_drop_kind kind);
/* The same if that makes it OMPLS_LAST; else nothing, and OMPLS_STILL_PRESENT. */
ompls_release_result ompls_release_last(const ompls_reference *reference, ompls_drop_kind kind);
/* What was inserted is there, counted.  With or without the lock. */
void ompls_entry_arrived(ompls_table *table, ompls_entry *entry, ompls_address device, bool owned, ompls_count_kind count,
                         ompls_reference *out);

void ompls_table_lock(ompls_table *table); /* counts how often somebody had to sleep */
/* With the lock held, once: */
/* Waits for what is on its way. */
bool ompls_table_find(ompls_table *table, uintptr_t begin, uintptr_t end, ompls_entry **overlapping, ompls_reference *out);
/* The same without waiting: false when something is on its way. */
bool ompls_table_look(ompls_table *table, uintptr_t begin, uintptr_t end, ompls_entry **overlapping, ompls_reference *out, bool *found);
ompls_entry *ompls_table_insert(ompls_table *table, uintptr_t begin, uintptr_t end, const char *name); /* on its way in */
/* The entry has a base address of its own; and find one by an address between that and the entry (OpenMP 5.2 section 5.8.6:
   the extended address range).  With the lock held.  NULL when there is none. */
void ompls_table_extend(ompls_table *table, ompls_entry *entry, uintptr_t base);
ompls_entry *ompls_table_extended(ompls_table *table, uintptr_t address);
void ompls_table_remove(ompls_table *table, ompls_entry *entry);
ompls_reference ompls_reference_to(ompls_entry *entry); /* not counted */
ompls_entry *ompls_table_entry(ompls_table *table, uint32_t index); /* 0 to count-1, in no order */

int64_t ompls_entry_count(const ompls_entry *entry); /* dynamic and hold; -1 for ever */

typedef struct ompls_device {
    int number; /* as the program counts */
    int index;  /* among the module's own */
    char name[64];
    ompls_module *module;
    _Atomic int status; /* OMPLS_CLOSED ... */
    _Atomic bool lost;  /* OMPLS_LOST_IDLE: it keeps data, but runs nothing */
    pthread_mutex_t opening;
    void *handle, *loaded;
    ompls_properties properties;
    _Atomic uint32_t deferred; /* constructs that run now beside the thread that met them */
    struct ompls_partials *partials; /* that no launch has (partials.c) */
    _Atomic uint32_t under_way; /* target regions, deferred ones that wait, too: once somebody wants to know (idle.c) */
    ompls_table table;
} ompls_device;
enum { OMPLS_CLOSED, OMPLS_OPEN, OMPLS_UNAVAILABLE, OMPLS_ENDED /* was open, and the program ends */ };
/* How long a pointer in the device's memory is. */
static inline uint32_t ompls_pointer_bytes(const ompls_device *device) {
    return device->properties.pointer_bytes != 0 ? device->properties.pointer_bytes : sizeof(void *);
}
enum { OMPLS_MAX_DEVICES = 256, OMPLS_OMP_DEFAULT_DEVICE = -5 /* omp_default_device of OpenMP 6.0 */ };

/* devices.c */
enum { OMPLS_OFFLOAD_DEFAULT, OMPLS_OFFLOAD_MANDATORY, OMPLS_OFFLOAD_DISABLED };
int ompls_device_count(void);
int ompls_default_device(void);
void ompls_default_device_is_said(void); /* by omp_set_default_device */
int ompls_offload_policy(void);
/* The opened device for a construct, or 0 when the initial device has to do it.  `region` (for messages) may be 0. */
ompls_device *ompls_resolve(const ompls_region *region, int64_t device);
/* At opening: a wrong address that has to do with the device is explained from now on (touched.c). */
void ompls_watch(const ompls_device *device);
/* The device whose memory is at the address, which is none of the host's; 0: none, as far as that is known. */
ompls_device *ompls_memory_of(uintptr_t address);
ompls_device *ompls_device_at(int number); /* not opened; 0 when out of range */
/* Another thread, which ends the program, has closed the device. */
bool ompls_closed_by_another(const ompls_device *device);
/* The devices of a module end before the program does, which goes on: why. */
void ompls_close_module(const char *name, const char *why);
void ompls_close_devices(void); /* at the end of the program, once: the first call does it */
void ompls_close_before_exit(void); /* the same, when exit handlers run */
/* A routine under its own name, too: libraries that gcc compiled for the program find it before libgomp's. */
#define OMPLS_ALSO_AS(name) extern __typeof__(__wrap_##name) name __attribute__((alias("__wrap_" #name)))
/* For the routines of <omp.h>: as ompls_resolve; *initial when the number means the host, where the constructs of a device
   that cannot be opened run too.  (api.c) */
ompls_device *ompls_device_of(int number, bool *initial);

/* available.c: keep and order the devices as OMP_AVAILABLE_DEVICES says; how many are left. */
int ompls_choose_available(ompls_device **devices, int count);
/* resources.c: what OMP_DISPLAY_ENV asks for, once the devices are known. */
void ompls_display_at_start(ompls_device *const *devices, int count);

/* globals.c */
const char *ompls_known_source(const char *file); /* as the user wrote the path of the unit that it is, by the end of it; else `file` */
int ompls_place_globals(ompls_device *device, ompls_error *err); /* at opening */
void ompls_globals_mapped(ompls_device *device, const ompls_region *region, uintptr_t begin, uintptr_t end,
                          ompls_address address);
/* The `declare target` variables that the device has.  With the table's lock held. */
void ompls_visit_globals(ompls_device *device, void (*visit)(void *visitor, const ompls_reference *variable), void *visitor);
/* Pointers in them that were made to lead to one of them: those in an entry get back what the host has in their place, in
   `bytes`, which came from the device.  With the table's lock held. */
void ompls_restore_pointers(ompls_device *device, ompls_entry *entry, char *bytes);
extern bool ompls_shared_memory; /* some unit requires unified shared memory: nothing is mapped, everything is where it is */
bool ompls_find_image(const char *image_class, ompls_image *out);

/* lists.c */
typedef struct {
    uint64_t count;
    int64_t stride;
} ompls_rows_dimension;
typedef struct {
    uint32_t count;
    ompls_rows_dimension dimension[]; /* the innermost first; an ompls_arg.size of bytes at each point */
} ompls_rows;
/* A construct with what its lists hold in place of them. */
typedef struct {
    ompls_region region;
    ompls_item_desc *items;
    ompls_arg *args;
    ompls_param_desc *params;
    const ompls_region *from;
    const ompls_arg *given;
} ompls_expanded;
ompls_expanded *ompls_expand(const ompls_region *region, const ompls_arg *args);
void ompls_expanded_done(ompls_expanded *expanded); /* frees the lists, too; may be 0 */
void ompls_drop_lists(const ompls_region *region, const ompls_arg *args); /* of a construct that does nothing */

typedef struct {
    ompls_device *device;
    const ompls_region *region;
} ompls_place;

/* objects.c */
/* An error when the item, which is to be copied back, is longer than the array in which it begins.  With the table's lock held. */
void ompls_check_end(ompls_place at, const ompls_item_desc *item, const ompls_arg *arg);
extern bool ompls_checks_overlap; /* under --check */
/* Then: a hint when something that another device copies back overlaps the item.  Without locks. */
void ompls_check_overlap(ompls_place at, const char *name, const ompls_arg *arg);

/* mapping.c */
/* Find what is present without counting it.  False when absent, and an error when the construct may not find it absent. */
bool ompls_find_item(ompls_place at, const ompls_item_desc *item, const ompls_arg *arg, ompls_reference *out);
/* Makes the device's copy of a pointer point to the corresponding pointee. */
void ompls_attach_item(ompls_place at, uint32_t item, const ompls_arg *arg, const ompls_reference *reference);
/* The pointer in a `declare target` variable of the host at `pointer` leads where the host's does, after copies, too; the
   address that it begins with lies in `to`, or just behind. */
void ompls_let_follow(ompls_device *device, uintptr_t pointer, uintptr_t begins, const ompls_reference *to);
/* The pointers that are attached in an entry at `offset` or behind it.  With the lock held, or nobody else sees the entry. */
ompls_attachment *ompls_attachments_from(ompls_entry *entry, uint64_t offset, const ompls_attachment **end);
/* Copies of items, around the pointers that are attached in them.  Started only: see ompls_settle. */
void ompls_item_in(ompls_place at, const char *name, ompls_entry *entry, const void *host, uint64_t size);
void ompls_item_out(ompls_place at, const char *name, ompls_entry *entry, void *host, uint64_t size);
/* The same of an entry that leaves: nobody else sees it. */
void ompls_leaving_item_out(ompls_place at, const char *name, ompls_entry *entry, void *host, uint64_t size);
_Noreturn void ompls_fail_overlap(ompls_place at, const char *name, const ompls_arg *arg, ompls_entry *entry);
_Noreturn void ompls_fail_absent(ompls_place at, const char *name, const ompls_arg *arg);
/* Where a host range lies on the device, if all of it is present. */
bool ompls_find_address(ompls_device *device, const void *host, uint64_t size, ompls_address *out);
void ompls_copy_in(ompls_place at, const char *name, ompls_address to, const void *from, uint64_t size);
void ompls_copy_out(ompls_place at, const char *name, void *to, ompls_address from, uint64_t size);
/* The same, but where the device can (device.h) they only start: memory of the host must stay until ompls_settle. */
void ompls_start_in(ompls_place at, const char *name, ompls_address to, const void *from, uint64_t size);
void ompls_start_out(ompls_place at, const char *name, void *to, ompls_address from, uint64_t size);
/* Wait for what this thread has started. */
void ompls_settle(ompls_place at);
/* What this thread starts from now on comes after what has been started for this entry. */
void ompls_follow_mark(ompls_place at, uint64_t mark);
static inline void ompls_follow(ompls_place at, ompls_entry *entry) {
    uint64_t mark = atomic_load_explicit(&entry->mark, memory_order_acquire);
    if (OMPLS_UNLIKELY(mark != 0)) ompls_follow_mark(at, mark);
}

/* An item of a construct, and what it stands for in the table. */
typedef struct {
    ompls_reference reference;
    uint32_t first; /* of the items with the same entry, which counts it for all of them */
    bool fresh;     /* this construct made the entry */
    bool deleted;   /* one of them is: the whole count goes */
    bool leaving;   /* this construct took its count to 0 */
    bool departed;  /* and what goes back has been copied, or the copy started */
} ompls_held;
/* What a construct's items bring to the device and take from it.  `args` are all of the construct's. */
enum { OMPLS_MOST_ARRIVALS = 16 };
typedef struct ompls_staging ompls_staging;
typedef struct {
    ompls_place at;
    const ompls_arg *args;
    ompls_held *items;
    uint32_t index[OMPLS_MOST_ARRIVALS], count; /* on their way in */
    ompls_staging *staging; /* needed until the device is waited for */
    bool started;           /* copies */
    bool behind;            /* ompls_leave_behind has been called */
    bool leaving;           /* some entry is */
    uint32_t flags;         /* those of all items */
} ompls_traffic;

/* environment.c.  Entering starts copies; who does not start a kernel behind them calls ompls_entered. */
void ompls_enter_items(ompls_place at, const ompls_arg *args, _Atomic(ompls_entry *) *hints, ompls_held *items, ompls_traffic *traffic);
void ompls_entered(ompls_traffic *traffic);
/* Behind a kernel that has been started: what only this construct has counted.  Then the device is to be waited for. */
void ompls_leave_behind(ompls_traffic *traffic);
void ompls_leave_items(ompls_traffic *traffic);
/* The end of `target data`; `target exit data`, whose items leave when they are there. */
void ompls_leave_environment(ompls_place at, const ompls_arg *args, ompls_held *items);
void ompls_exit_items(ompls_place at, const ompls_arg *args, ompls_held *items);

/* gather.c: what is on its way in is allocated and copied. */
void ompls_arrive(ompls_traffic *traffic);
/* Copies back what is leaving. */
void ompls_depart(ompls_traffic *traffic);
/* Waits for what was started, and brings what came back together to where it belongs. */
void ompls_traffic_settle(ompls_traffic *traffic);
/* An entry's memory on the device, unless others have a share in it. */
void ompls_free_entry(ompls_place at, ompls_entry *entry);
int ompls_free_memory(ompls_device *device, ompls_entry *entry, ompls_error *err);
/* The parts of an item stand behind it.  0 after the last. */
static inline uint32_t ompls_part_after(ompls_place at, uint32_t index) {
    return index + 1 < at.region->nitems && (at.region->items[index + 1].flags & OMPLS_MAP_PART) ? index + 1 : 0;
}
/* A zero-length section is looked up where it begins. */
static inline uintptr_t ompls_end_of(const ompls_arg *arg) {
    return (uintptr_t)arg->begin + (arg->size != 0 ? arg->size : 1);
}

/* launch.c.  Of a construct on the place's device: the entry that each item had last time. */
_Atomic(ompls_entry *) *ompls_hints_of(ompls_place at);
/* target.c */
static inline bool ompls_is_address(const ompls_param_desc *param) {
    return param->kind == OMPLS_PARAM_ADDRESS || param->kind == OMPLS_PARAM_READ;
}
void *ompls_kernel_of(ompls_place at); /* 0: the region is to run on the host */
/* As ompls_target.  With the kernel 0, or where the device is lost and the region may run `in_place`, the host runs it. */
int ompls_run_target(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked, bool in_place);

/* The same, started and sent: nobody waits.  `args` and `values` stay.  0: it has to be run, which may be to wait for others. */
typedef struct ompls_begun ompls_begun;
ompls_begun *ompls_begin_target(ompls_place at, void *kernel, const ompls_arg *args, const void *const *values, const ompls_launch *asked);
ompls_begun *ompls_begin_update(ompls_place at, const ompls_arg *args); /* a `target update` */
void ompls_receive(const ompls_begun *begun); /* it is done; an error ends the program */
void ompls_end_begun(ompls_begun *begun);     /* the same, and then all that is left of it */
/* constructs.c: the copies of a `target update`, which `ompls_settle` waits for. */
void ompls_start_update(ompls_place at, const ompls_arg *args);

/* begun.c: what has been begun on this device is received, for the error that has lost it. */
void ompls_receive_begun(const ompls_device *device);
/* With the table's lock held, which is given up in between: one region that was begun on its device has ended.  False: there is none. */
bool ompls_end_begun_of(ompls_table *table);
/* Who waits for an entry looks again. */
void ompls_table_wake(ompls_table *table);

/* partials.c: memory for a launch of so many teams, put in front of what else it has taken; given back when it has ended. */
typedef struct ompls_partials ompls_partials;
ompls_address ompls_take_partials(ompls_place at, uint64_t bytes, uint64_t teams, ompls_partials **taken);
void ompls_return_partials(ompls_device *device, ompls_partials *taken);

/* fallback.c: what the region uses is the host's until ompls_target_done, which lets the items leave.  Takes `expanded`. */
void ompls_fall_back(const ompls_traffic *traffic, ompls_expanded *expanded);

/* geometry.c: what is asked for (may be 0), within the limits.  `grid` and `block` have three numbers. */
typedef struct { /* as in ompls_properties, for one kernel */
    _Atomic uint32_t max_threads;
    uint32_t max_teams, default_threads, default_teams, many_teams, row_threads;
} ompls_limits;
void ompls_choose_geometry(const ompls_limits *has, ompls_mode mode, const ompls_launch *asked, uint32_t *grid, uint32_t *block);

/* workers.c: what was deferred is done, and the threads that did it are gone.  At the end of the program. */
void ompls_workers_finish(void);

/* error.c: `FILE:LINE: region on DEV: WHAT: WHY; NEXT STEP`, then exit 125.  `next` may be 0. */
_Noreturn void ompls_fail(ompls_place at, const char *next, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void ompls_fail_module(ompls_place at, const char *what, const ompls_error *err);
/* There is no memory: also tells what holds how much. */
_Noreturn void ompls_fail_memory(ompls_place at, const char *what, const ompls_error *err);
/* ": 'p'" where one of a region's pointers is null; "" where none is, or several. */
void ompls_name_null(const ompls_region *region, const ompls_arg *args, const void *const *values, char *out, size_t size);
_Noreturn void ompls_fail_launch(ompls_place at, const ompls_arg *args, const void *const *values, const ompls_error *err);
/* Nothing has gone wrong yet.  All of it is a kilobyte, too much to be set before each call. */
static inline void ompls_no_error(ompls_error *err) {
    err->reason[0] = err->hint[0] = err->fault_file[0] = '\0';
    err->fatal = err->fault = 0;
    err->fault_address = err->fault_line = 0;
    err->detail = NULL;
}
void ompls_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Lines below a message (ompls_error.detail); 0: none. */
void ompls_tell_detail(const char *lines);
/* meant.c: the name in `known` (with ", " between them) that the misspelt one is nearly; NULL: none is. */
const char *ompls_meant(const char *name, size_t length, const char *known, size_t *found_length);
extern _Atomic int ompls_failing; /* the process is on its way out after an error */
/* Before an error is told: only the first thread that fails does.  Another one ends, but not the program, whose exit handlers may
   need any time, and may join it.  Who fails again, in an exit handler or in a signal's, ends the program at once. */
void ompls_speak_first(void);

/* idle.c: whether regions under way are counted. */
extern _Atomic bool ompls_counting;
/* True: this one is, and has to be taken back when it is done. */
static inline bool ompls_count_region(ompls_device *device) {
    if (OMPLS_LIKELY(!atomic_load_explicit(&ompls_counting, memory_order_relaxed))) return false;
    atomic_fetch_add_explicit(&device->under_way, 1, memory_order_relaxed);
    return true;
}
static inline void ompls_region_done(ompls_device *device, bool counted) {
    if (OMPLS_UNLIKELY(counted)) atomic_fetch_sub_explicit(&device->under_way, 1, memory_order_release);
}

/* trace.c: OMPLS_TRACE and OMPLS_INFO.  Events are made only when `ompls_observing` is not 0. */
enum {
    OMPLS_INFO_ARGUMENTS = 1,
    OMPLS_INFO_PRESENT = 2,
    OMPLS_INFO_DUMP = 4,
    OMPLS_INFO_CHANGES = 8,
    OMPLS_INFO_LAUNCHES = 16,
    OMPLS_INFO_COPIES = 32
};
typedef struct {
    const char *kind;
    ompls_place at;
    const char *var;
    const void *host;
    ompls_address address;
    uint64_t bytes;
    const char *direction;
    int64_t refcount; /* -1: for ever */
    bool counted;     /* refcount is meant */
    bool changed;     /* the present table changed */
    const uint32_t *grid, *block;
    uint32_t tasks, edges; /* of a task graph; 0 tasks: it is about none */
    uint64_t began; /* ompls_now() before the operation; 0: no duration */
    const char *text;
    const ompls_table *locks; /* how often its lock was taken is meant */
} ompls_event;
extern int ompls_observing;
extern unsigned ompls_info;
uint64_t ompls_now(void); /* ns since the start of the program */
void ompls_observe(const ompls_event *event);
void ompls_observed(void); /* a construct is done */
/* What was just described begins: for tools.  The time, for `began`. */
uint64_t ompls_begin(const ompls_event *event);
#define OMPLS_BEGIN(...) (OMPLS_UNLIKELY(ompls_observing) ? ompls_begin(&(ompls_event){__VA_ARGS__}) : 0)
void ompls_trace_finish(void);

/* tools.c: callbacks of a tool.  The kinds of constructs are those of ompt_target_t. */
enum { OMPLS_TOOL_TARGET = 1, OMPLS_TOOL_ENTER, OMPLS_TOOL_EXIT, OMPLS_TOOL_UPDATE };
extern bool ompls_tooling;
void ompls_tools_start(int ndevices);
void ompls_tools_finish(void);
void ompls_tool_device(const ompls_device *device, const ompls_image *image);
void ompls_tool_device_gone(const ompls_device *device);
void ompls_tool_deferred(bool deferred);
void ompls_tool_construct(ompls_place at, int kind, bool begin);
void ompls_tool_event(const ompls_event *event, bool begin);
#endif
