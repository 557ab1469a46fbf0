/* ompls.h -- what translated host code calls.

   The translator emits one static `ompls_region` per construct and a few calls; nothing else of the runtime is visible
   to the user's program.  All functions are thread-safe.  Errors that the program cannot go on from are reported by the
   core (region, line, variable, device) and end the process with exit code 125. */
#ifndef OMPLS_H
#define OMPLS_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OMPLS_ABI 8

/* How an item is mapped (bits of ompls_item_desc.flags). */
enum {
    OMPLS_MAP_TO = 1,
    OMPLS_MAP_FROM = 2,
    OMPLS_MAP_ALWAYS = 4,
    OMPLS_MAP_DELETE = 8,
    OMPLS_MAP_PRESENT = 16,
    OMPLS_MAP_CLOSE = 32,
    OMPLS_MAP_RELEASE = 64,
    OMPLS_MAP_IMPLICIT = 128,
    OMPLS_MAP_ZERO_LENGTH = 256, /* zero-length section: looked up, never allocated (OpenMP 5.2 section 5.8.6) */
    OMPLS_MAP_HOLD = 512,
    OMPLS_MAP_ATTACH = 1024, /* ompls_arg.pointer is a mapped pointer that is to point to the item on the device */
    OMPLS_MAP_VALUE = 2048,  /* a large firstprivate variable's value: a deferred construct keeps a copy of it */
    /* Storage inside of the item before (of the next one that is no part): copied when that one is allocated or goes, by
       its own flags, but not counted. */
    OMPLS_MAP_PART = 4096,
    OMPLS_MAP_LIST = 8192, /* ompls_arg.pointer is an ompls_list: these items are meant */
    OMPLS_MAP_ROWS = 16384, /* of `target update`: ompls_arg.pointer is an ompls_rows */
    OMPLS_MAP_PLAIN = 32768, /* no pointers lie in it that could be attached */
    OMPLS_MAP_LOCAL = 65536, /* `ompx_local`: a kernel works on a copy near to it, where a device has such memory */
    OMPLS_MAP_JOINED = 131072 /* nothing lies in it but its parts: the bytes between them are in no list item */
};

/* The static half of a map item: one per list item of the construct, in the order of the args. */
typedef struct {
    const char *name; /* as the user wrote it: "x", "a[0:n]", "s.p[:k]" */
    uint32_t flags;
    uint64_t whole; /* bytes of the array that the item is, or is a section of; 0: not known */
} ompls_item_desc;

/* The dynamic half, filled just before the call. */
typedef struct {
    const void *base;    /* the base address: the array's or the pointer's value, &x for anything else */
    const void *begin;   /* first mapped byte; begin == base unless a section starts later */
    uint64_t size;       /* bytes */
    const void *pointer; /* address of the base pointer to attach, or 0 */
} ompls_arg;

typedef enum {
    OMPLS_PARAM_ADDRESS, /* the device address that corresponds to items[index].base */
    OMPLS_PARAM_VALUE,   /* `size` bytes from values[index]: firstprivate, what clauses ask for */
    OMPLS_PARAM_POINTER, /* a pointer in values[index]: is_device_ptr, has_device_addr, firstprivate */
    OMPLS_PARAM_SIZE,    /* an integer of `size` bytes in values[index]: the length of an array */
    /* The part of a loop that a launch is about: the first of its iterations along dimension `index`, and how many, 32 bits
       each.  Threads have one iteration at most; trip_count or trips are exact. */
    OMPLS_PARAM_PART,
    OMPLS_PARAM_ORIGINAL, /* the `size` bytes that items[index] begins with on the device before the kernel starts */
    /* The address of memory that the launch has for itself: 16 bytes, which are 0 before and afterwards, and `index` bytes for
       each team.  Its teams leave their parts of a reduction there. */
    OMPLS_PARAM_PARTIALS,
    /* As ADDRESS, and the kernel only reads there.  Where nothing that it may write overlaps any of these (all other addresses
       count as written), and nothing else writes there while it runs, its version KERNEL_restrict is launched if the image has
       one: there these parameters are `__restrict__`. */
    OMPLS_PARAM_READ
} ompls_param_kind;

/* One kernel parameter, in the order of the kernel function's parameters. */
typedef struct {
    const char *name;
    ompls_param_kind kind;
    uint32_t index; /* into args (ADDRESS, ORIGINAL, READ) or values */
    uint64_t size;  /* bytes of the parameter: 8 for ADDRESS, PARTIALS and READ */
} ompls_param_desc;

typedef enum {
    OMPLS_MODE_SPMD,         /* every thread of every team runs the whole kernel: combined constructs */
    OMPLS_MODE_MASTER_WORKER /* 128 threads a team: a master warp and 96 workers */
} ompls_mode;

/* One construct: target, target data, enter/exit data, update.  Static storage, never freed. */
typedef struct ompls_region {
    const char *file;   /* the user's file */
    uint32_t line;      /* of the directive */
    const char *kernel; /* kernel function's name in every image; 0 for data constructs */
    ompls_mode mode;
    uint32_t nitems, nparams, nvalues;
    const ompls_item_desc *items;
    const ompls_param_desc *params;
    struct ompls_region_cache *cache; /* the core's: zero-initialised, per construct */
    uint32_t nlists; /* items with the flag LIST */
    /* FUNCTION_ORDINAL_FINGERPRINT (ordinal: of the region in its function; fingerprint: of the parameters' kinds and types):
       tells what a kernel is, where `kernel` is unique in the program.  0 for data constructs. */
    const char *id;
} ompls_region;

/* Launch geometry as the clauses ask for it; 0 = not specified. */
typedef struct {
    uint64_t trip_count;  /* iterations of the outermost distributed or workshared loop nest, 0 when not known */
    uint32_t num_teams;   /* upper bound of num_teams; 1 when there is no teams construct */
    uint32_t thread_limit;
    uint32_t num_threads; /* of a combined parallel */
    uint32_t dimensions;  /* of the kernel's grid and block: 2 or 3; otherwise one */
    uint64_t trips[3];    /* of each loop along its dimension, the innermost first; 0 when not known.  Of one dimension, the
                             first: iterations of loops inside of each of trip_count's, which a team runs together, UINT64_MAX
                             when not known; 0 where each of trip_count's is one thread's */
} ompls_launch;

/* A `declare target` variable.  `symbol` is the pointer variable that stands for it in every image. */
typedef struct {
    const char *name;
    const char *symbol;
    void *address;
    uint64_t size;
    uint32_t link; /* 1: `link`, mapped only when a map clause says so */
} ompls_global;

/* A pointer in one, and the variable in which, or just behind which, the address lies that it begins with; 0: not known. */
typedef struct {
    const void *place, *variable;
} ompls_pointer;

/* An array of the program. */
typedef struct {
    const char *name;
    const void *address;
    uint64_t size;
} ompls_object;

typedef struct {
    uint32_t abi;
    const char *source;
    const ompls_global *globals;
    uint32_t nglobals;
    uint32_t nregions;
    ompls_region *const *regions;
    uint32_t requires; /* OMPLS_REQUIRES_... */
} ompls_unit;

enum { OMPLS_REQUIRES_SHARED_MEMORY = 1 }; /* unified_shared_memory, self_maps: host addresses are valid in kernels */

/* A device image as the link step embeds it: `device_class` is a device's name ("host", "cudasim", ...). */
typedef struct {
    const char *device_class;
    const void *start;
    uint64_t size;
} ompls_image;

#define OMPLS_DEVICE_DEFAULT (-2LL) /* no device clause: default-device-var */
#define OMPLS_DEVICE_INITIAL (-1LL) /* the host runs it in place: if(0), device(omp_initial_device) */

/* From constructors of translated units and of the link step. */
void ompls_register_unit(const ompls_unit *unit);
/* Pointers in `declare target` variables that may begin with the addresses of such variables: on a device, with those in
   the corresponding ones. */
void ompls_register_pointers(const ompls_pointer *pointers, uint32_t count);
/* Arrays that a unit defines. */
void ompls_register_objects(const ompls_object *objects, uint32_t count);
void ompls_register_image(const ompls_image *image);
/* The devices of the program, with commas between them, in the order in which the link step was given them. */
void ompls_linked_for(const char *names);

/* Run a target region.  Returns 1 when a device ran it, 0 when the caller must run it in place on the initial device; then
   it calls ompls_target_done, which returns 1: the data may be the device's until then. */
int ompls_target(ompls_region *region, int64_t device, const ompls_arg *args, const void *const *values,
                 const ompls_launch *launch);
int ompls_target_done(ompls_region *region);

/* target data: enter and leave a device data environment.  `env` is to be handed to the matching end. */
struct ompls_env;
struct ompls_env *ompls_data_begin(ompls_region *region, int64_t device, const ompls_arg *args);
void ompls_data_end(ompls_region *region, struct ompls_env *env);

void ompls_enter_data(ompls_region *region, int64_t device, const ompls_arg *args);
void ompls_exit_data(ompls_region *region, int64_t device, const ompls_arg *args);
void ompls_update(ompls_region *region, int64_t device, const ompls_arg *args);

/* --- lists: items of iterators, mappers and strided sections ------------------------------------------------------------ */

/* Collected before the construct, which takes and frees them.  The head is 0 in the beginning and, when empty, in the end. */
typedef struct ompls_list ompls_list;
/* One more item.  For a PART `pointer` is the handle of the item that it is a part of, 0 for the construct's item before the
   list.  Returns the handle. */
uint64_t ompls_list_add(ompls_list **list, const char *name, uint32_t flags, const void *base, const void *begin, uint64_t size,
                        const void *pointer);
/* What was added last, with the flag ROWS: `count` times, `stride` bytes apart; from the innermost dimension outwards. */
void ompls_list_rows(ompls_list **list, uint64_t count, int64_t stride);

/* --- nowait and depend ------------------------------------------------------------------------------------------------ */

/* The first four are what libgomp writes into an omp_depend_t, next to the address. */
enum {
    OMPLS_DEPEND_IN = 1,
    OMPLS_DEPEND_OUT = 2,
    OMPLS_DEPEND_INOUT = 3,
    OMPLS_DEPEND_MUTEXINOUTSET = 4,
    OMPLS_DEPEND_INOUTSET = 5,
    OMPLS_DEPEND_OBJECT = 6 /* `address` is that of an omp_depend_t */
};

typedef struct {
    const void *address; /* of the locator's storage; 0 with OUT or INOUT: omp_all_memory */
    uintptr_t kind;
} ompls_depend;

/* The construct as a task that may run beside the caller.  What args, values and launch hold is copied; storage that they
   point to must live until the task is done.  Returns as ompls_target; 0 when the dependences hold and the caller is to
   run the region in place. */
int ompls_target_nowait(ompls_region *region, int64_t device, const ompls_arg *args, const void *const *values,
                        const ompls_launch *launch, uint32_t ndepend, const ompls_depend *depend);
/* `function`: ompls_enter_data, ompls_exit_data or ompls_update. */
void ompls_data_nowait(void (*function)(ompls_region *, int64_t, const ompls_arg *), ompls_region *region, int64_t device,
                       const ompls_arg *args, uint32_t ndepend, const ompls_depend *depend);

/* Before a device construct that runs in place and has dependences. */
void ompls_wait_depend(uint32_t ndepend, const ompls_depend *depend);
/* Beside what waits for tasks on the host.  In serial code libgomp runs tasks in place and knows nothing of deferred device
   constructs: these wait for them.  In a team, where a task of libgomp stands for each, they do nothing. */
void ompls_wait_host_task(uint32_t ndepend, const ompls_depend *depend); /* `task` and `taskwait` with depend */
void ompls_taskwait(void);                                               /* `taskwait` and barriers */
uint64_t ompls_taskgroup_begin(void);
void ompls_taskgroup_end(uint64_t begin);

/* --- taskgraph --------------------------------------------------------------------------------------------------------- */

/* A construct whose tasks a `taskgraph` records, and how such a task is run again: with the addresses of the present encounter
   (`frame`), and what was recorded (`saved`).  Static; it never changes. */
typedef struct {
    const char *file;
    uint32_t line;
    uint32_t saved;       /* bytes */
    ompls_region *region; /* of a target region, which `run` gives to ompls_graph_target; 0: a host task */
    void (*run)(void *const *frame, const void *saved);
} ompls_node;

/* One `taskgraph`.  Static storage, never freed. */
typedef struct {
    const char *file;
    uint32_t line;
    struct ompls_record *records; /* the core's: 0 */
} ompls_graph;

/* A thread meets the region.  1: it was replayed, and all of it is done.  0: the caller runs it, and calls ompls_graph_end behind
   all of its tasks; `*recording` may then be 0, which the calls below take.
   asked -- the value of `if`;  reset -- that of `graph_reset`;  frame -- must stay until the region has ended */
typedef struct ompls_recording ompls_recording;
int ompls_graph_begin(ompls_graph *graph, int64_t id, int asked, int reset, void *const *frame, ompls_recording **recording);
void ompls_graph_end(ompls_recording *recording);
/* Before a host task, which the caller creates itself: also waits for it as ompls_wait_host_task.  With `node` 0 it is not
   replayed (`replayable(false)`), and orders others only. */
void ompls_graph_task(ompls_recording *recording, const ompls_node *node, const void *saved, uint32_t ndepend, const ompls_depend *depend);
/* The same of a target region, and ompls_target_nowait. */
int ompls_graph_nowait(ompls_recording *recording, const ompls_node *node, const void *saved, const ompls_arg *args,
                       const void *const *values, const ompls_launch *launch, uint32_t ndepend, const ompls_depend *depend);
void ompls_graph_taskwait(ompls_recording *recording); /* `taskwait` in the region */
/* In ompls_node.run: the region on the device of the replay. */
void ompls_graph_target(ompls_region *region, const ompls_arg *args, const void *const *values, const ompls_launch *launch);

/* use_device_ptr/use_device_addr: the device address that corresponds to `host`, or `host` itself when absent. */
void *ompls_device_address(int64_t device, const void *host);

/* Whether a device is of a kind ("gpu", "cpu", "host", "nohost", "any"): the selector `target_device`. */
int ompls_device_is(int device, const char *kind);

#ifdef __cplusplus
}
#endif
#endif
