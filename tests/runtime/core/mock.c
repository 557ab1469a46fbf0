/* mock.c -- see mock.h. */
#include "mock.h"

#include <string.h>

_Atomic long mock_allocs, mock_frees, mock_in, mock_out, mock_launches, mock_opens, mock_waits, mock_attached, mock_peers, mock_sent, mock_batches;
ompls_launch_request mock_last;
ompls_error mock_launch_error;
const char *mock_open_failure, *mock_copy_failure;
uint64_t mock_memory_limit = UINT64_MAX;
uint64_t mock_reserved;
int mock_probe_count = 2;
void (*mock_copying)(void);

static struct {
    const char *name;
    mock_kernel kernel;
} kernels[16];
static int nkernels;

enum { SYMBOLS = 4, DEVICES = 4 };
static const char *const symbol_names[SYMBOLS] = {"__ompls_g_table", "__ompls_g_zero", "__ompls_g_linked", "__ompls_g_other"};
static uint64_t symbols[DEVICES][SYMBOLS];
static int numbers[DEVICES] = {0, 1, 2, 3};

void mock_add_kernel(const char *name, mock_kernel kernel) {
    kernels[nkernels].name = name;
    kernels[nkernels++].kernel = kernel;
}

void *mock_symbol(int device, const char *name) {
    for (int i = 0; i < SYMBOLS; i++)
        if (strcmp(symbol_names[i], name) == 0) return (void *)(uintptr_t)symbols[device][i];
    return NULL;
}

void mock_reset(void) {
    mock_allocs = mock_frees = mock_in = mock_out = mock_launches = mock_waits = mock_attached = mock_peers = mock_sent = mock_batches = 0;
}

static int fail(ompls_error *err, const char *why) {
    snprintf(err->reason, sizeof err->reason, "%s", why);
    snprintf(err->hint, sizeof err->hint, "ask the test");
    return 1;
}

static int probe(ompls_module *self, int wanted, ompls_error *err) {
    (void)self;
    if (mock_probe_count == 0) fail(err, "no mock is plugged in");
    return wanted > 0 && wanted < mock_probe_count ? wanted : mock_probe_count;
}
static int open_(ompls_module *self, int index, void **device, ompls_error *err) {
    (void)self;
    mock_opens++;
    if (mock_open_failure != NULL) return fail(err, mock_open_failure);
    *device = &numbers[index];
    return 0;
}
static void close_(void *device) {
    (void)device;
}
static int properties(void *device, ompls_properties *out, ompls_error *err) {
    (void)device, (void)err;
    const char *gather = getenv("MOCK_GATHER");
    *out = (ompls_properties){.name = "mock", .max_threads = 1024, .max_teams = 65535, .default_threads = 128,
                              .gather = gather != NULL ? (uint32_t)atoi(gather) : 0,
                              .reserved = mock_reserved, .reserved_bytes = mock_reserved != 0 ? 32 : 0,
                              .pointer_bytes = getenv("MOCK_NARROW") != NULL ? 4 : 0};
    out->big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != (getenv("MOCK_FOREIGN") != NULL);
    return 0;
}
/* --- what has been started: a queue for each thread, never given back ----------------------------------------------------- */

typedef struct {
    void *to;
    const void *from;
    uint64_t size;
} started_copy;
typedef struct {
    pthread_mutex_t lock;
    started_copy copy[64];
    int count;
} queue;

static queue *my_queue(void) {
    static _Thread_local queue *mine;
    if (mine != NULL) return mine;
    mine = calloc(1, sizeof *mine);
    pthread_mutex_init(&mine->lock, NULL);
    return mine;
}
static void empty_locked(queue *q) {
    for (int i = 0; i < q->count; i++) memcpy(q->copy[i].to, q->copy[i].from, q->copy[i].size);
    q->count = 0;
}
static void empty(queue *q) {
    pthread_mutex_lock(&q->lock);
    empty_locked(q);
    pthread_mutex_unlock(&q->lock);
}
static void push(void *to, const void *from, uint64_t size) {
    queue *q = my_queue();
    pthread_mutex_lock(&q->lock);
    if (q->count == 64) empty_locked(q);
    q->copy[q->count++] = (started_copy){to, from, size};
    pthread_mutex_unlock(&q->lock);
}

static int alloc_(void *device, uint64_t size, ompls_address *out, ompls_error *err) {
    (void)device;
    if (size > mock_memory_limit) return fail(err, "out of memory");
    mock_allocs++;
    void *memory = malloc(size);
    memset(memory, 0xaa, size); /* nothing may depend on what it held before */
    *out = (uintptr_t)memory;
    return 0;
}
static int free_(void *device, ompls_address address, ompls_error *err) {
    (void)device, (void)err;
    mock_frees++;
    free((void *)(uintptr_t)address);
    return 0;
}
static int copy_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    (void)device;
    if (mock_copy_failure != NULL) return fail(err, mock_copy_failure);
    mock_in++;
    if (mock_copying != NULL) mock_copying();
    empty(my_queue());
    memcpy((void *)(uintptr_t)to, from, size);
    return 0;
}
static int copy_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    (void)device, (void)err;
    mock_out++;
    if (mock_copying != NULL) mock_copying();
    empty(my_queue());
    memcpy(to, (void *)(uintptr_t)from, size);
    return 0;
}
static int copy_within(void *device, ompls_address to, ompls_address from, uint64_t size, ompls_error *err) {
    (void)device, (void)err;
    empty(my_queue());
    memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, size);
    return 0;
}
static int copy_peer(void *device, ompls_address to, void *from_device, ompls_address from, uint64_t size, ompls_error *err) {
    MOCK_CHECK(device != from_device);
    mock_peers++;
    return copy_within(device, to, from, size, err);
}
static int load(void *device, const void *image, uint64_t size, void **loaded, ompls_error *err) {
    (void)image, (void)size, (void)err;
    *loaded = device;
    return 0;
}
static int find_kernel(void *device, void *loaded, const char *name, void **kernel, ompls_error *err) {
    (void)device, (void)loaded;
    for (int i = 0; i < nkernels; i++) {
        if (strcmp(kernels[i].name, name) == 0) {
            memcpy(kernel, &kernels[i].kernel, sizeof *kernel);
            return 0;
        }
    }
    return fail(err, "the mock has no such kernel");
}
static int find_symbol(void *device, void *loaded, const char *name, ompls_address *out, ompls_error *err) {
    (void)device;
    for (int i = 0; i < SYMBOLS; i++) {
        if (strcmp(symbol_names[i], name) == 0) {
            *out = (uintptr_t)&symbols[*(int *)loaded][i];
            return 0;
        }
    }
    return fail(err, "the mock has no such symbol");
}
static int launch(void *device, void *kernel, const ompls_launch_request *request, ompls_error *err) {
    (void)device;
    mock_launches++;
    if (mock_launch_error.reason[0] != '\0' || mock_launch_error.fault != 0) {
        *err = mock_launch_error;
        return 1;
    }
    empty(my_queue());
    mock_kernel run;
    memcpy(&run, &kernel, sizeof run);
    run((void **)(uintptr_t)request->params, request);
    return 0;
}
static int launch_all(void *device, uint32_t count, void *const *found, const ompls_launch_request *requests, uint32_t *failed, ompls_error *err) {
    mock_batches++;
    for (*failed = 0; *failed < count; ++*failed)
        if (launch(device, found[*failed], &requests[*failed], err) != 0) return 1;
    return 0;
}
static int synchronize(void *device, ompls_error *err) {
    (void)device, (void)err;
    mock_waits++;
    empty(my_queue());
    return 0;
}
static int start_in(void *device, ompls_address to, const void *from, uint64_t size, ompls_error *err) {
    (void)device;
    if (mock_copy_failure != NULL) return fail(err, mock_copy_failure);
    mock_in++;
    if (mock_copying != NULL) mock_copying();
    push((void *)(uintptr_t)to, from, size);
    return 0;
}
static int start_out(void *device, void *to, ompls_address from, uint64_t size, ompls_error *err) {
    (void)device, (void)err;
    mock_out++;
    if (mock_copying != NULL) mock_copying();
    push(to, (void *)(uintptr_t)from, size);
    return 0;
}
static int attach(void *device, ompls_address at, ompls_address target, ompls_error *err) {
    if (mock_copy_failure != NULL) return fail(err, mock_copy_failure);
    mock_attached++;
    static ompls_address last[1 << 16]; /* a copy that has only been started reads it later */
    static _Atomic unsigned count;
    ompls_address *kept = &last[count++ % (1 << 16)];
    *kept = target;
    return getenv("MOCK_AHEAD") != NULL ? start_in(device, at, kept, sizeof *kept, err) : copy_in(device, at, kept, sizeof *kept, err);
}
static int mark_(void *device, uint64_t *mark, ompls_error *err) {
    (void)device, (void)err;
    *mark = (uintptr_t)my_queue();
    return 0;
}
static int follow(void *device, uint64_t mark, ompls_error *err) {
    (void)device, (void)err;
    empty((queue *)(uintptr_t)mark);
    return 0;
}
static int ready(void *device) {
    (void)device;
    return 1;
}
static int send_(void *device, uint64_t *ticket, ompls_error *err) {
    (void)device, (void)err;
    queue *q = my_queue(), *sent = calloc(1, sizeof *sent);
    pthread_mutex_lock(&q->lock);
    memcpy(sent->copy, q->copy, sizeof sent->copy);
    sent->count = q->count;
    q->count = 0;
    pthread_mutex_unlock(&q->lock);
    mock_sent++;
    *ticket = (uintptr_t)sent;
    return 0;
}
static int receive(void *device, uint64_t ticket, ompls_error *err) {
    (void)device, (void)err;
    queue *sent = (queue *)(uintptr_t)ticket;
    empty_locked(sent);
    free(sent);
    return 0;
}

static ompls_module module = {
    .abi = OMPLS_MODULE_ABI, .name = "mock", .image_class = "mock", .probe = probe, .open = open_, .close = close_,
    .properties = properties, .alloc = alloc_, .free = free_, .copy_in = copy_in, .copy_out = copy_out,
    .copy_within = copy_within, .load = load, .find_kernel = find_kernel, .find_symbol = find_symbol, .launch = launch,
    .synchronize = synchronize, .attach = attach, .copy_peer = copy_peer,
};

__attribute__((constructor)) static void announce(void) {
    if (getenv("MOCK_AHEAD") != NULL) {
        module.start_in = start_in;
        module.start_out = start_out;
        module.mark = mark_;
        module.follow = follow;
    }
    if (getenv("MOCK_ALL") != NULL) module.launch_all = launch_all;
    if (getenv("MOCK_SENDS") != NULL) {
        module.ready = ready;
        module.send = send_;
        module.receive = receive;
    }
    if (getenv("MOCK_LACKS") != NULL) *(strcmp(getenv("MOCK_LACKS"), "attach") == 0 ? (void **)&module.attach : (void **)&module.mark) = NULL;
    ompls_register_module(&module);
    ompls_register_image(&(ompls_image){"mock", "image", 5});
}
