/* trace.c -- what a program does with its devices, for people (OMPLS_INFO) and for tools (OMPLS_TRACE).

   Nobody pays for it but those who ask: the callers test `ompls_observing` and build no event when it is 0.  Events are
   written in the order in which they happen, under one lock, into a buffer that goes out when it is full, at an error and
   at the end.  The format is docs' "Trace": one JSON object a line, the first one describes the run. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int ompls_observing;
unsigned ompls_info;

static FILE *trace;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static struct timespec start;

uint64_t ompls_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(now.tv_sec - start.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec - (uint64_t)start.tv_nsec + 1;
}

static void write_string(const char *text) {
    putc('"', trace);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') fprintf(trace, "\\%c", *c);
        else if (*c < 0x20) fprintf(trace, "\\u%04x", *c);
        else putc(*c, trace);
    }
    putc('"', trace);
}

/* A child of fork has a copy of the buffer: its parent writes it. */
static void forked(void) {
    pthread_mutex_init(&writing, NULL);
    if (trace == NULL) return;
    __fpurge(trace);
    fclose(trace);
    trace = NULL;
    ompls_observing = ompls_info != 0;
}

static void open_trace(const char *path) {
    trace = fopen(path, "we");
    if (trace == NULL) {
        ompls_warn("cannot write the trace %s: %s", path, strerror(errno));
        return;
    }
    setvbuf(trace, NULL, _IOFBF, 1 << 16);
    pthread_atfork(NULL, NULL, forked);
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    fprintf(trace, "{\"ompls_trace\": 1, \"program\": ");
    write_string(program_invocation_name);
    fprintf(trace, ", \"pid\": %d, \"start\": %lld.%09ld, \"unit\": \"ns\"}\n", (int)getpid(), (long long)wall.tv_sec, wall.tv_nsec);
    fflush(trace);
}

/* Before any unit registers or maps: constructors with priorities run before those without. */
__attribute__((constructor(101))) static void begin(void) {
    clock_gettime(CLOCK_MONOTONIC, &start);
    const char *path = getenv("OMPLS_TRACE"), *info = getenv("OMPLS_INFO");
    if (info != NULL) ompls_info = (unsigned)strtoul(info, NULL, 0);
    if (path != NULL && *path != '\0') open_trace(path);
    ompls_observing = trace != NULL || ompls_info != 0;
}

void ompls_trace_finish(void) {
    pthread_mutex_lock(&writing);
    if (trace != NULL) {
        fclose(trace);
        trace = NULL;
    }
    pthread_mutex_unlock(&writing);
}

static void number(const char *key, int64_t value) {
    fprintf(trace, ", \"%s\": %" PRId64, key, value);
}

static void string(const char *key, const char *value) {
    fprintf(trace, ", \"%s\": ", key);
    write_string(value);
}

static void write_event(const ompls_event *event, uint64_t now, uint64_t duration) {
    static _Thread_local int thread;
    if (thread == 0) thread = (int)syscall(SYS_gettid);
    fprintf(trace, "{\"t\": %" PRIu64 ", \"thread\": %d, \"kind\": \"%s\"", event->began != 0 ? event->began : now, thread, event->kind);
    if (event->at.device != NULL) string("device", event->at.device->name);
    if (event->at.region != NULL) {
        char place[4200];
        snprintf(place, sizeof place, "%s:%u", event->at.region->file, event->at.region->line);
        string("region", place);
    }
    if (event->var != NULL) string("var", event->var);
    if (event->host != NULL) fprintf(trace, ", \"host\": \"%#" PRIxPTR "\"", (uintptr_t)event->host);
    if (event->address != 0) fprintf(trace, ", \"address\": \"%#" PRIx64 "\"", event->address);
    if (event->bytes != 0 || event->direction != NULL) number("bytes", (int64_t)event->bytes);
    if (event->direction != NULL) string("direction", event->direction);
    if (event->counted) number("refcount", event->refcount);
    if (event->grid != NULL) fprintf(trace, ", \"grid\": [%u, %u, %u]", event->grid[0], event->grid[1], event->grid[2]);
    if (event->block != NULL) fprintf(trace, ", \"block\": [%u, %u, %u]", event->block[0], event->block[1], event->block[2]);
    if (event->began != 0) number("duration", (int64_t)duration);
    if (event->locks != NULL) number("acquisitions", (int64_t)event->locks->acquisitions), number("contended", (int64_t)event->locks->contended);
    if (event->text != NULL) string("message", event->text);
    fprintf(trace, "}\n");
    if (strcmp(event->kind, "error") == 0) fflush(trace);
}

static void print_info(const ompls_event *event, uint64_t duration) {
    unsigned wanted = 0;
    if (event->grid != NULL) wanted = OMPLS_INFO_LAUNCHES;
    else if (event->direction != NULL) wanted = OMPLS_INFO_COPIES;
    else if (event->counted) wanted = event->changed ? OMPLS_INFO_CHANGES : OMPLS_INFO_PRESENT;
    else if (strcmp(event->kind, "argument") == 0) wanted = OMPLS_INFO_ARGUMENTS;
    if ((ompls_info & wanted) == 0) return;
    char line[512];
    size_t used = (size_t)snprintf(line, sizeof line, "ompls: %s:%u: %s: %s", event->at.region != NULL ? event->at.region->file : "program",
                                   event->at.region != NULL ? event->at.region->line : 0,
                                   event->at.device != NULL ? event->at.device->name : "initial device", event->kind);
#define ADD(...)                                                                                                         \
    do {                                                                                                                 \
        if (used < sizeof line) used += (size_t)snprintf(line + used, sizeof line - used, __VA_ARGS__);                  \
    } while (0)
    if (event->var != NULL) ADD(" '%s'", event->var);
    if (event->direction != NULL) ADD(" %s", event->direction);
    if (event->bytes != 0) ADD(" %" PRIu64 " bytes", event->bytes);
    if (event->host != NULL) ADD(" host %p", event->host);
    if (event->address != 0) ADD(" device %#" PRIx64, event->address);
    if (event->counted && event->refcount < 0) ADD(" count for ever");
    else if (event->counted) ADD(" count %" PRId64, event->refcount);
    const uint32_t *g = event->grid, *b = event->block;
    if (g != NULL && (g[1] | g[2] | b[1] | b[2]) == 1) ADD(" grid %u block %u", g[0], b[0]);
    else if (g != NULL) ADD(" grid %u x %u x %u block %u x %u x %u", g[0], g[1], g[2], b[0], b[1], b[2]);
    if (event->text != NULL) ADD(" %s", event->text);
    if (event->began != 0) ADD(" in %.1f us", (double)duration / 1000);
#undef ADD
    fprintf(stderr, "%s\n", line);
}

uint64_t ompls_begin(const ompls_event *event) {
    if (OMPLS_UNLIKELY(ompls_tooling)) ompls_tool_event(event, true);
    return ompls_now();
}

void ompls_observe(const ompls_event *event) {
    if (OMPLS_UNLIKELY(ompls_tooling) && event->began != 0) ompls_tool_event(event, false);
    if (trace == NULL && ompls_info == 0) return;
    uint64_t now = ompls_now(), duration = event->began != 0 ? now - event->began : 0;
    if (ompls_info != 0) print_info(event, duration);
    pthread_mutex_lock(&writing);
    if (trace != NULL && strcmp(event->kind, "argument") != 0) write_event(event, now, duration);
    pthread_mutex_unlock(&writing);
}
