/* device.h -- the contract between the core and a device module: the whole of it.

   A module is one table.  A native module fills it directly; a module written in Python fills it through the bridge.
   Device addresses are mediary: opaque to the core, which only adds offsets to them.  It never writes one into memory of a
   device: what becomes of an address there, `attach` and `launch` know.  Functions return 0, or non-zero after filling
   `err`.  The core serialises open and close; everything else may be called from several threads. */
#ifndef OMPLS_DEVICE_H
#define OMPLS_DEVICE_H
#include <stddef.h>
#include <stdint.h>

#define OMPLS_MODULE_ABI 3

typedef uint64_t ompls_address; /* 0 is never a valid allocation */

enum {
    OMPLS_LOST_NOW = 1, /* by this call */
    OMPLS_LOST_BEFORE,
    OMPLS_LOST_IDLE /* no kernel was running, and memory can still be allocated, copied and freed */
};

typedef struct {
    char reason[512]; /* what happened: WHAT: WHY */
    char hint[256];   /* the next step */
    int fatal;        /* not 0: the device is lost (process killed, context lost): OMPLS_LOST_… */
    /* A kernel touched memory that is not the device's: */
    int fault;              /* 0 none, 1 read, 2 write */
    uint64_t fault_address;
    uint32_t fault_line;    /* source line if known, else 0 */
    char fault_file[128];   /* its file, without directories; empty: the region's */
    const char *detail;     /* what others have said of it, in lines that are told below; the device's own; may be 0 */
} ompls_error;

typedef struct {
    char name[128];
    uint64_t memory;            /* bytes in all */
    uint32_t max_threads;       /* per team */
    uint32_t max_teams;
    uint32_t default_threads;   /* per team when nothing is asked for */
    uint32_t default_teams;     /* 0: derive from the trip count */
    uint32_t many_teams;        /* of those derived: beyond these, a thread takes up to 128 iterations; 0: always one */
    uint32_t row_threads;        /* of a team over several dimensions, how many lie along x; 0: as many as a warp has */
    uint32_t shares_host_memory; /* host addresses are valid on the device */
    uint32_t gather;             /* list items of up to so many bytes are allocated and copied together; 0: each alone */
    uint32_t lend;               /* host memory of so many bytes and more is lent, not copied; 0: nothing is */
    uint32_t pointer_bytes;      /* of a pointer in its memory; 0: as on the host */
    /* Threads of kernels that could have one iteration each (OMPLS_PASS_PART) take as many as there are, in one launch: what
       they include was compiled with OMPLS_LOOPS.  0: there are as many threads as iterations, or several launches. */
    uint32_t loops;
    char machine[64];            /* where it is, if that is elsewhere; else empty */
    uint32_t big_endian;         /* a device whose byte order is not the host's is not used: data are copied as they are */
    uint32_t sections;           /* 1: it wants to know which list items have `ompx_local` (ompls_launch_request.sections) */
    /* Addresses that only this device's memory has, and nothing of this process: the first, and how many; 0: not known. */
    uint64_t reserved, reserved_bytes;
    uint32_t alike;              /* list items of so many bytes and more begin as far behind a multiple of 64 as the host's; 0: none */
} ompls_properties;

/* What a kernel's parameter is. */
enum {
    OMPLS_PASS_ADDRESS, /* an ompls_address, 8 bytes: of what is mapped, or one that the program has (is_device_ptr) */
    OMPLS_PASS_VALUE,   /* the bytes of a variable */
    OMPLS_PASS_SIZE,    /* an integer of `size` bytes that the translator added: the length of an array */
    OMPLS_PASS_PART     /* two numbers, of 32 bits or of 64: the first iteration of the launch along a dimension, and how many */
};

/* A list item with `ompx_local`, of which a kernel shall have a copy near to it; it goes back unless the kernel only reads there. */
typedef struct {
    const char *name;       /* as the user wrote it */
    int64_t offset;         /* of its first byte from the parameter's address */
    uint64_t size;          /* bytes; 0: the parameter is no such item */
    uint32_t only_read;
} ompls_section;

typedef struct {
    const char *region_file;
    uint32_t region_line;
    const char *name; /* kernel */
    const char *id;   /* FUNCTION_ORDINAL_FINGERPRINT: the same wherever the source lies (ompls.h) */
    uint32_t mode;    /* ompls_mode */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    uint32_t nparams;
    const void *const *params; /* each points to the parameter's bytes */
    const uint64_t *sizes;
    const uint8_t *kinds; /* OMPLS_PASS_… */
    const ompls_section *sections; /* of each parameter, for a device that wants them; 0: there are none */
} ompls_launch_request;

typedef struct ompls_module {
    uint32_t abi;
    const char *name;        /* "host", "cudasim", "cuda", ... */
    const char *image_class; /* which ompls_image it loads */

    /* How many devices there are (asked for: `wanted`, 0 = all); 0 with err->reason and err->hint when none, and err->fatal when
       the module itself has failed. */
    int (*probe)(struct ompls_module *self, int wanted, ompls_error *err);
    int (*open)(struct ompls_module *self, int index, void **device, ompls_error *err);
    /* When the program ends other threads may be in calls of the device, or come to make some: they fail from then on. */
    void (*close)(void *device);
    int (*properties)(void *device, ompls_properties *out, ompls_error *err);

    int (*alloc)(void *device, uint64_t size, ompls_address *out, ompls_error *err);
    int (*free)(void *device, ompls_address address, ompls_error *err);
    int (*copy_in)(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err);
    int (*copy_out)(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err);
    int (*copy_within)(void *device, ompls_address to, ompls_address from, uint64_t size, ompls_error *err);

    /* At most once, before `properties` is asked and anything is allocated. */
    int (*load)(void *device, const void *image, uint64_t size, void **loaded, ompls_error *err);
    int (*find_kernel)(void *device, void *loaded, const char *name, void **kernel, ompls_error *err);
    /* The device address of a variable of the image.  The core attaches the pointers that stand for `declare target`
       variables, and copies `ompls_image_device_number`, what omp_get_device_num() answers in kernels. */
    int (*find_symbol)(void *device, void *loaded, const char *name, ompls_address *out, ompls_error *err);

    int (*launch)(void *device, void *kernel, const ompls_launch_request *request, ompls_error *err);
    int (*synchronize)(void *device, ompls_error *err);
    void *user; /* the module's own */
    const char *kind; /* "gpu", "cpu", … as OMP_AVAILABLE_DEVICES names it; may be 0 */
    /* For a device that does not share the host's memory by itself: from now on kernels use host addresses (`requires
       unified_shared_memory`).  Called once, after `load`.  0: the device cannot. */
    int (*share_host_memory)(void *device, ompls_error *err);

    /* For a device that works beside the host; all four or none.  What a thread starts on a device is done in that order:
       these copies, `launch`, and the copies above, which wait for all of it.  `synchronize` waits for what the calling
       thread has started; until then the host's memory must stay as it is. */
    int (*start_in)(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err);
    int (*start_out)(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err);
    /* A mark (not 0) behind what the calling thread has started, valid while the device is open; a thread that follows it
       has what it starts later done after that. */
    int (*mark)(void *device, uint64_t *mark, ompls_error *err);
    int (*follow)(void *device, uint64_t mark, ompls_error *err);

    /* For a device whose memory is the host's (ompls_properties.lend): where kernels find these bytes of the host, `*out`,
       until they are taken back.  0 in *out: they must be copied. */
    int (*lend)(void *device, const void *host, uint64_t size, ompls_address *out, ompls_error *err);
    int (*take_back)(void *device, const void *host, ompls_error *err);

    /* Not optional: the pointer at `at`, in the device's memory, leads to `target` (once the host's memory is shared, a host
       address) from now on.  Done in the order of `start_in`, when the device has that. */
    int (*attach)(void *device, ompls_address at, ompls_address target, ompls_error *err);
    /* Between two open devices of this module, without the host.  0: the core copies through the host, as it does where
       this returns less than 0: there is no way between these two. */
    int (*copy_peer)(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err);
    /* How many threads a team of this kernel can have: fewer than any when it needs many registers.  0: as many as any.  A
       launch has this grid and block exactly, or fails. */
    int (*most_threads)(void *device, void *kernel, uint32_t *out, ompls_error *err);
    /* As copy_peer, of many rows of `size` bytes; `counts` and the strides (bytes) are of the other dimensions, outermost
       first.  0: each row is one copy. */
    int (*copy_peer_rows)(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, uint32_t ndims,
                          const uint64_t *counts, const uint64_t *to_strides, const uint64_t *from_strides, ompls_error *err);

    /* For a device that works beside the host and does all that it gets in one order, whichever thread says it; all three or
       none.  Then a small region or `target update` with `nowait` needs no thread that waits for it: the one that meets it starts and sends it,
       and whichever thread has to wait first receives its end.  `launch` keeps nothing of its request. */
    int (*ready)(void *device); /* not 0: what is started now is not held up by another thread */
    /* What was started is on its way, with nothing left to do but to wait for it, as its `*ticket`. */
    int (*send)(void *device, uint64_t *ticket, ompls_error *err);
    /* It is done, and so is what was sent before.  Once for each ticket: its errors are told here, and to nobody else. */
    int (*receive)(void *device, uint64_t ticket, ompls_error *err);

    /* For a device that checks kernels: these bytes of a new allocation are in no list item, and a kernel that touches nothing
       else is wrong. */
    void (*leave_out)(void *device, ompls_address address, uint64_t size);

    /* For a device that runs one kernel after the other: all of these by one command, in this order, and they have ended when it
       returns.  *failed: the number of the one that the error is about.  0: each is a `launch`, as it is where this returns less
       than 0: the device wants to see each by itself. */
    int (*launch_all)(void *device, uint32_t count, void *const *kernels, const ompls_launch_request *requests, uint32_t *failed, ompls_error *err);
} ompls_module;

/* What a module that checks kernels has noticed while one ran (cudasim, `--check`).  The kernel went on. */
typedef struct {
    const char *kind;      /* "data race on", … */
    const char *check;     /* what is chosen with --check: "races", … */
    const char *next;      /* what to do about it */
    char what[400];        /* who did what */
    char variable[128];    /* its name, if the module knows it; else empty: the core finds it by its address: */
    ompls_address address;
    char file[128];        /* where, without directories; empty and 0 when not known */
    uint32_t line;
    const char *region_file;
    uint32_t region_line;
    const char *kernel;
    int advice;            /* not an error: the program is right, but slow */
} ompls_finding;
void ompls_report_finding(void *device, const ompls_finding *finding);

/* Native modules that are linked in announce themselves from a constructor; the bridge at run time. */
void ompls_register_module(ompls_module *module);
#endif
