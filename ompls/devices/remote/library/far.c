/* far.c -- the far side of a remote device: does what a program's frames say, with the device that is linked in.

   This, the device's native half and its image are one shared object, which the program sends to the machine.  Frames come
   over a line (line.h); wire.h is the protocol. */
#define _GNU_SOURCE
#include "far.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "digest.h"
#include "exchange.h"
#include "memory.h"
#include "ompls.h"
#include "wire.h"

enum { MOST_KERNELS = 1 << 16, MOST_PARAMETERS = 4096, BEAT_SECONDS = 1 };

typedef struct {
    void *handle;
    char *name, *texts; /* its id and file, one after the other */
    const char *file;
    uint32_t line;
} kernel;

static ompls_module *module; /* the one that is linked in */
static ompls_image image;

static struct {
    ompls_line *line;
    far_memory memory;
    void *loaded;
    kernel *kernels;
    uint32_t nkernels;
    ompls_error error;
    bool failed, gone, closed;
    int guarded; /* before something is carried */
    char *payload; /* for devices whose memory the carrier cannot reach */
    int printed[2]; /* what the kernels' standard output and error are files of */
    bool may_print; /* what may print has run since they were looked at: that takes longer than a small copy */
    uint64_t used; /* of `answer` */
    wire_number said, heard; /* frames back and there */
    pthread_mutex_t beating;
    bool working;
    char frame[OMPLS_FRAME] __attribute__((aligned(16)));
    char answer[OMPLS_FRAME] __attribute__((aligned(16)));
} far = {.beating = PTHREAD_MUTEX_INITIALIZER};

void ompls_register_module(ompls_module *linked) {
    module = linked;
}

void ompls_register_image(const ompls_image *linked) {
    image = *linked;
}

void ompls_linked_for(const char *names) {
    (void)names; /* the device inside is the only one */
}

void ompls_report_finding(void *device, const ompls_finding *f) {
    (void)device;
    fprintf(stderr, "%s:%u: %s %s: %s; %s [%s] (kernel %s)\n", f->file[0] != '\0' ? f->file : f->region_file,
            f->line != 0 ? f->line : f->region_line, f->kind, f->variable, f->what, f->next, f->check, f->kernel);
}

/* --- what is carried ----------------------------------------------------------------------------------------------------- */

static void set_working(bool working) {
    pthread_mutex_lock(&far.beating);
    far.working = working;
    pthread_mutex_unlock(&far.beating);
}

/* One at a time: the thread beside says that we are alive. */
static void begin_carrying(void) {
    far.guarded = ompls_far_guarded(0);
    pthread_mutex_lock(&far.beating);
}

static void end_carrying(int failed) {
    if (failed != 0) far.gone = true;
    pthread_mutex_unlock(&far.beating);
    ompls_far_guarded(far.guarded);
}

static void carry_in(void *into, uint64_t size) {
    begin_carrying();
    end_carrying(far.gone ? 0 : far.line->get_data(far.line, into, size));
}

static void carry_out(const void *bytes, uint64_t size) {
    begin_carrying();
    end_carrying(far.gone ? 0 : far.line->put_data(far.line, bytes, size));
}

static void send_answer(void) {
    if (far.used > 0) far.said++;
    memcpy(far.answer, &far.said, sizeof far.said);
    begin_carrying();
    end_carrying(far.used == 0 || far.gone ? 0 : far.line->put(far.line, far.answer, far.used));
    far.used = 0;
}

/* The place for the record's bytes. */
static char *answer(uint32_t what, uint64_t a, uint64_t b, uint32_t length) {
    uint64_t size = sizeof(wire_record) + ((uint64_t)length + 7) / 8 * 8;
    if (far.used + size > OMPLS_FRAME) send_answer();
    if (far.used == 0) far.used = sizeof far.said;
    wire_record record = {.what = what, .length = length, .a = a, .b = b};
    memcpy(far.answer + far.used, &record, sizeof record);
    char *bytes = far.answer + far.used + sizeof record;
    far.used += size;
    return bytes;
}

static void answer_printed(void) {
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        off_t end = far.printed[i] < 0 ? 0 : lseek(far.printed[i], 0, SEEK_END);
        for (off_t at = 0; at < end;) {
            size_t size = end - at < OMPLS_INLINE ? (size_t)(end - at) : OMPLS_INLINE;
            char *to = answer(WIRE_PRINTED, (uint64_t)i + 1, 0, (uint32_t)size);
            ssize_t got = pread(far.printed[i], to, size, at);
            if (got < (ssize_t)size) memset(to + (got > 0 ? got : 0), 0, size - (size_t)(got > 0 ? got : 0));
            at += (off_t)size;
        }
        if (end > 0 && (ftruncate(far.printed[i], 0) != 0 || lseek(far.printed[i], 0, SEEK_SET) != 0)) far.printed[i] = -1;
    }
}

static int refuse(const char *reason) {
    snprintf(far.error.reason, sizeof far.error.reason, "%s", reason);
    snprintf(far.error.hint, sizeof far.error.hint, "build the program again with one version of ompls");
    far.error.fatal = OMPLS_LOST_NOW;
    return 1;
}

/* --- records ------------------------------------------------------------------------------------------------------------- */

static int do_open(const wire_record *r) {
    ompls_properties properties;
    if (module == NULL || image.start == NULL) return refuse("the image has no device");
    /* The program counts its nodes, of which several may be on one machine: they have that machine's devices in turn. */
    int there = module->probe(module, 0, &far.error);
    if (there <= 0 || module->open(module, (int)(r->c % (uint64_t)there), &far.memory.device, &far.error) != 0) return 1;
    far.memory.module = module;
    if (module->properties(far.memory.device, &properties, &far.error) != 0) return 1;
    bool arena = properties.shares_host_memory && ompls_far_reserve(&far.memory, r->a, r->b);
    if (module->load(far.memory.device, image.start, image.size, &far.loaded, &far.error) != 0) return 1;
    memcpy(answer(WIRE_OPENED, OMPLS_WIRE, arena, sizeof properties), &properties, sizeof properties);
    return 0;
}

static int do_write(const wire_record *r, const char *bytes) {
    ompls_address to = ompls_far_address(&far.memory, r->a);
    bool known = far.failed || ompls_far_known(&far.memory, r->a, r->b, &far.error);
    if (r->length > 0 || r->b == 0) return !known || module->copy_in(far.memory.device, to, bytes, r->length, &far.error);
    bool direct = ompls_far_direct(&far.memory, r->a, r->b) && !far.failed;
    if (!direct && far.payload == NULL) far.payload = malloc(OMPLS_PIECE);
    if (!direct && far.payload == NULL) return refuse("no memory is left for what is copied");
    int failed = far.failed || !known; /* the program sends it all the same */
    for (uint64_t at = 0; at < r->b && !far.gone; at += OMPLS_PIECE) {
        uint64_t size = r->b - at < OMPLS_PIECE ? r->b - at : OMPLS_PIECE;
        carry_in(direct ? (char *)(uintptr_t)(to + at) : far.payload, size);
        if (!direct && !failed && !far.gone) failed = module->copy_in(far.memory.device, to + at, far.payload, size, &far.error);
    }
    return failed;
}

static int do_read(const wire_record *r) {
    ompls_address from = ompls_far_address(&far.memory, r->a);
    if (!ompls_far_known(&far.memory, r->a, r->b, &far.error)) return 1;
    if (r->b <= OMPLS_INLINE) {
        char small[OMPLS_INLINE];
        if (module->copy_out(far.memory.device, small, from, r->b, &far.error) != 0) return 1;
        memcpy(answer(WIRE_DATA, 0, r->b, (uint32_t)r->b), small, r->b);
        return 0;
    }
    bool direct = ompls_far_direct(&far.memory, r->a, r->b);
    if (!direct && far.payload == NULL) far.payload = malloc(OMPLS_PIECE);
    if (!direct && far.payload == NULL) return refuse("no memory is left for what is copied");
    for (uint64_t at = 0; at < r->b && !far.gone; at += OMPLS_PIECE) {
        uint64_t size = r->b - at < OMPLS_PIECE ? r->b - at : OMPLS_PIECE;
        if (!direct && module->copy_out(far.memory.device, far.payload, from + at, size, &far.error) != 0) {
            if (at == 0) return 1;
            far.gone = true; /* half of it is on its way */
            return 1;
        }
        if (at == 0) {
            answer(WIRE_DATA, 0, r->b, 0);
            send_answer();
        }
        carry_out(direct ? (char *)(uintptr_t)(from + at) : far.payload, size);
    }
    return 0;
}

static int do_digest(const wire_record *r) {
    ompls_address from = ompls_far_address(&far.memory, r->a);
    bool direct = ompls_far_direct(&far.memory, r->a, r->b);
    if (!direct && far.payload == NULL) far.payload = malloc(OMPLS_PIECE);
    if (!direct && far.payload == NULL) return refuse("no memory is left for what is compared");
    ompls_digesting d;
    ompls_digest_begin(&d, r->c);
    for (uint64_t at = 0; at < r->b; at += OMPLS_PIECE) {
        uint64_t size = r->b - at < OMPLS_PIECE ? r->b - at : OMPLS_PIECE;
        if (!direct && module->copy_out(far.memory.device, far.payload, from + at, size, &far.error) != 0) return 1;
        ompls_digest_add(&d, direct ? (char *)(uintptr_t)(from + at) : far.payload, size);
    }
    ompls_digest found = ompls_digest_end(&d);
    answer(WIRE_VALUE, found.of[0], found.of[1], 0);
    return 0;
}

static int do_attach(const wire_record *r) {
    return module->attach(far.memory.device, ompls_far_address(&far.memory, r->a), ompls_far_address(&far.memory, r->b), &far.error);
}

static int do_copy(const wire_record *r) {
    ompls_address to = ompls_far_address(&far.memory, r->a), from = ompls_far_address(&far.memory, r->b);
    if (!ompls_far_known(&far.memory, r->a, r->c, &far.error) || !ompls_far_known(&far.memory, r->b, r->c, &far.error)) return 1;
    return module->copy_within(far.memory.device, to, from, r->c, &far.error);
}

static kernel *kernel_of(uint64_t number) {
    return number < far.nkernels && far.kernels[number].handle != NULL ? &far.kernels[number] : NULL;
}

static int do_kernel(const wire_record *r, const char *name) {
    if (r->a >= MOST_KERNELS || r->length == 0 || name[r->length - 1] != '\0') return refuse("the name of a kernel is damaged");
    if (r->a >= far.nkernels) {
        uint32_t more = (uint32_t)r->a + 16;
        kernel *grown = realloc(far.kernels, more * sizeof *grown);
        if (grown == NULL) return refuse("no memory is left for kernels");
        memset(grown + far.nkernels, 0, (more - far.nkernels) * sizeof *grown);
        far.kernels = grown, far.nkernels = more;
    }
    kernel *k = &far.kernels[r->a];
    uint32_t most = 0;
    if (module->find_kernel(far.memory.device, far.loaded, name, &k->handle, &far.error) != 0) return 1;
    if (module->most_threads != NULL && module->most_threads(far.memory.device, k->handle, &most, &far.error) != 0) return 1;
    k->name = strdup(name);
    answer(WIRE_VALUE, most, 0, 0);
    return 0;
}

static int do_symbol(const wire_record *r, const char *name) {
    ompls_address found, named;
    if (r->length == 0 || name[r->length - 1] != '\0') return refuse("the name of a variable is damaged");
    if (module->find_symbol(far.memory.device, far.loaded, name, &found, &far.error) != 0) return 1;
    if (ompls_far_bind(&far.memory, r->a, found, &named, &far.error) != 0) return 1;
    answer(WIRE_VALUE, named, 0, 0);
    return 0;
}

static int do_region(const wire_record *r, const char *texts) {
    kernel *k = kernel_of(r->a);
    const char *end = k == NULL || r->length == 0 ? NULL : memchr(texts, '\0', r->length);
    if (end == NULL || texts[r->length - 1] != '\0' || end + 1 >= texts + r->length) return refuse("what is said of a region is damaged");
    char *kept = malloc(r->length);
    if (kept == NULL) return refuse("no memory is left for kernels");
    free(k->texts);
    k->texts = memcpy(kept, texts, r->length);
    k->file = kept + (end + 1 - texts);
    k->line = (uint32_t)r->b;
    return 0;
}

static int do_launch(const wire_record *r, char *bytes) {
    static const void *params[MOST_PARAMETERS];
    static uint64_t sizes[MOST_PARAMETERS];
    static uint8_t kinds[MOST_PARAMETERS];
    kernel *k = kernel_of(r->a);
    uint64_t at = sizeof(wire_launch);
    if (k == NULL || k->texts == NULL || r->length < at || r->b > MOST_PARAMETERS) return refuse("a launch is damaged");
    for (uint32_t i = 0; i < r->b; i++) {
        wire_parameter head;
        if (at + sizeof head > r->length) return refuse("a launch is damaged");
        memcpy(&head, bytes + at, sizeof head);
        at += sizeof head;
        if (head.size > r->length - at || (head.kind == OMPLS_PASS_ADDRESS && head.size != sizeof(ompls_address)))
            return refuse("a launch is damaged");
        if (head.kind == OMPLS_PASS_ADDRESS) {
            ompls_address named;
            memcpy(&named, bytes + at, sizeof named);
            named = ompls_far_address(&far.memory, named);
            memcpy(bytes + at, &named, sizeof named);
        }
        params[i] = bytes + at, sizes[i] = head.size, kinds[i] = (uint8_t)head.kind;
        at += ((uint64_t)head.size + 7) / 8 * 8;
    }
    wire_launch how;
    memcpy(&how, bytes, sizeof how);
    ompls_launch_request request = {
        .region_file = k->file, .region_line = k->line, .name = k->name, .id = k->texts, .mode = how.mode, .shared_bytes = how.shared_bytes,
        .nparams = (uint32_t)r->b, .params = params, .sizes = sizes, .kinds = kinds,
    };
    memcpy(request.grid, how.grid, sizeof request.grid);
    memcpy(request.block, how.block, sizeof request.block);
    return module->launch(far.memory.device, k->handle, &request, &far.error) != 0 ||
           module->synchronize(far.memory.device, &far.error) != 0;
}

static int do_port(void) {
    char name[OMPLS_PORT] = "";
    if (ompls_far_port(far.line, name, &far.error) != 0) return 1;
    memcpy(answer(WIRE_NAMED, 0, 0, (uint32_t)strlen(name) + 1), name, strlen(name) + 1);
    return 0;
}

static void do_sync(const wire_record *r) {
    if (far.may_print || far.failed) answer_printed();
    far.may_print = false;
    if (far.failed) memcpy(answer(WIRE_ERROR, 0, 0, sizeof far.error), &far.error, sizeof far.error);
    if (far.error.fatal == OMPLS_LOST_NOW) far.error.fatal = OMPLS_LOST_BEFORE;
    far.failed = far.failed && far.error.fatal != 0;
    answer(WIRE_DONE, r->a, 0, 0);
    send_answer();
}

typedef struct {
    wire_record record;
    char *bytes;
    int failed;
    bool begun;
} step;

static int do_record(const wire_record *r, char *bytes) {
    far.may_print |= r->what == WIRE_OPEN || r->what == WIRE_KERNEL || r->what == WIRE_LAUNCH;
    if (r->what != WIRE_ALLOC && r->what != WIRE_FREE && ompls_far_close(&far.memory, &far.error) != 0) return 1;
    switch (r->what) {
    case WIRE_OPEN: return do_open(r);
    case WIRE_ALLOC: return ompls_far_alloc(&far.memory, r->a, r->b, &far.error);
    case WIRE_FREE: return ompls_far_free(&far.memory, r->a, r->b, &far.error);
    case WIRE_WRITE: return do_write(r, bytes);
    case WIRE_READ: return do_read(r);
    case WIRE_COPY: return do_copy(r);
    case WIRE_ATTACH: return do_attach(r);
    case WIRE_KERNEL: return do_kernel(r, bytes);
    case WIRE_SYMBOL: return do_symbol(r, bytes);
    case WIRE_REGION: return do_region(r, bytes);
    case WIRE_LAUNCH: return do_launch(r, bytes);
    case WIRE_PORT: return do_port();
    case WIRE_ACCEPT:
    case WIRE_CONNECT: return ompls_far_meet(far.line, r, bytes, &far.error);
    case WIRE_GIVE:
    case WIRE_TAKE: return ompls_far_exchange(&far.memory, r, bytes, false, &far.error);
    case WIRE_DIGEST: return do_digest(r);
    default: return refuse("the program speaks another version of the protocol");
    }
}

static void do_step(void *with) {
    step *s = with;
    s->failed = do_record(&s->record, s->bytes);
}

/* The next record of the frame at `at`; false: there is none. */
static bool next(uint64_t *at, uint64_t length, step *s) {
    *s = (step){0};
    if (length - *at < sizeof s->record) return false;
    memcpy(&s->record, far.frame + *at, sizeof s->record);
    s->bytes = far.frame + *at + sizeof s->record;
    uint64_t padded = ((uint64_t)s->record.length + 7) / 8 * 8, left = length - *at - sizeof s->record;
    if (padded > left) return false;
    *at += sizeof s->record + padded;
    return true;
}

static bool guarded(step *s) {
    s->begun = true;
    if (ompls_far_guard(do_step, s, far.memory.first, far.memory.last, &far.error) == 0) return s->failed != 0;
    set_working(false); /* what the kernel held may be held for ever: who waits for us shall not do that */
    return true;
}

static void do_frame(uint64_t length) {
    step s;
    wire_number number = 0;
    if (length >= sizeof number) memcpy(&number, far.frame, sizeof number);
    if (number != ++far.heard) {
        far.failed = refuse("what it was sent is not complete");
        far.gone = true;
        return;
    }
    for (uint64_t at = sizeof number; !far.closed && !far.gone && next(&at, length, &s);) {
        if (s.record.what == WIRE_SYNC) do_sync(&s.record);
        else if (s.record.what == WIRE_CLOSE) far.closed = true;
        else if (s.record.what == WIRE_PART) ompls_far_part(far.line, s.record.a);
        else if (!far.failed && !(far.failed = guarded(&s))) continue;
        else if (s.record.what == WIRE_WRITE && s.record.length == 0 && !s.begun) do_write(&s.record, s.bytes); /* its payload comes anyway */
        else if (s.record.what == WIRE_GIVE || (s.record.what == WIRE_TAKE && !s.begun)) ompls_far_exchange(&far.memory, &s.record, s.bytes, true, &far.error);
    }
}

/* --- the thread beside --------------------------------------------------------------------------------------------------- */

/* Tells the program that we are alive, while frames are worked on. */
static void *beat(void *nothing) {
    for (;;) {
        nanosleep(&(struct timespec){.tv_sec = BEAT_SECONDS}, NULL);
        pthread_mutex_lock(&far.beating);
        if (far.working && far.line->put(far.line, wire_beat, sizeof wire_beat) != LINE_FINE) _exit(1); /* nobody waits for the kernel */
        pthread_mutex_unlock(&far.beating);
    }
    return nothing;
}

/* What kernels print comes into files of their own. */
static void capture(void) {
    for (int i = 0; i < 2; i++) {
        far.printed[i] = memfd_create("ompls-printed", MFD_CLOEXEC);
        if (far.printed[i] >= 0) dup2(far.printed[i], i + 1);
    }
}

int ompls_far_serve(ompls_line *line) {
    pthread_t beside;
    uint64_t length = 0;
    far.line = line;
    capture();
    if (pthread_create(&beside, NULL, beat, NULL) != 0) return 1;
    pthread_detach(beside);
    while (!far.closed && !far.gone && line->get(line, far.frame, &length) == LINE_FINE) {
        set_working(true);
        do_frame(length);
        set_working(false);
    }
    if (far.memory.device != NULL && (!far.failed || far.error.fatal == 0)) module->close(far.memory.device);
    return far.closed ? 0 : 1;
}
