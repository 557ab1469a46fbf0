/* mpi_line.c -- frames over MPI (mpi_line.h).  A request for the next frame is always there, so that a sign of life is seen while
   something is sent. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi_line.h"

enum { FRAMES = 2, PAYLOADS = 3, SPINS = 2000, STATUS = 256 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(ompls_mpi_line *l, int code) {
    l->failed = code;
    return code == 0 ? LINE_FINE : LINE_BROKEN;
}

static int expect(ompls_mpi_line *l) {
    l->there = false;
    l->coming = true;
    return fail(l, l->mpi->irecv(l->frame, OMPLS_FRAME, l->mpi->byte, l->peer, FRAMES, l->communicator, l->request));
}

/* Has the next frame come? */
static int look(ompls_mpi_line *l) {
    _Alignas(16) char status[STATUS];
    int flag = 0, code;
    if (l->there) return LINE_FINE;
    if ((code = l->mpi->test(l->request, &flag, status)) != 0) return fail(l, code);
    if (!flag) return LINE_FINE;
    l->there = true;
    l->coming = false;
    return fail(l, l->mpi->get_count(status, l->mpi->byte, &l->count));
}

/* While something else is waited for: is the other side alive?  A beat is taken, the beginning of an answer stays. */
static bool alive(ompls_mpi_line *l) {
    if ((!l->coming && !l->there) || look(l) != LINE_FINE || !l->there) return false;
    bool beat = l->count == sizeof wire_beat && memcmp(l->frame, wire_beat, sizeof wire_beat) == 0;
    return !beat || expect(l) == LINE_FINE;
}

typedef struct {
    uint64_t looks;
    double deadline, over; /* over: of who has ended, what it has sent may be on its way */
    long pause;
} patience;

static const double ON_ITS_WAY = 0.1; /* seconds */

/* Sleep, unless what has started the other side has ended, as it does with it. */
static bool has_ended(ompls_mpi_line *l, long nanoseconds) {
    struct pollfd launcher = {.fd = l->launcher, .events = POLLIN};
    return ppoll(&launcher, 1, &(struct timespec){.tv_nsec = nanoseconds}, NULL) > 0;
}

/* After a look that found nothing: LINE_SILENT when it was the last one. */
static int be_patient(ompls_mpi_line *l, patience *p, bool sending) {
    if (++p->looks < SPINS || (l->line.spin && p->looks % SPINS != 0)) return LINE_FINE;
    if (l->line.patience > 0) {
        double moment = now();
        if (p->deadline == 0) p->deadline = moment + l->line.patience;
        else if (moment > p->deadline) {
            if (!sending || !alive(l)) return LINE_SILENT;
            p->deadline = moment + l->line.patience;
        }
    }
    if (has_ended(l, l->line.spin ? 0 : 20000 + p->pause)) {
        if (p->over == 0) p->over = now() + ON_ITS_WAY;
        else if (now() > p->over) return LINE_BROKEN;
    }
    if (p->pause < 1000000) p->pause += p->pause / 8 + 1000;
    return LINE_FINE;
}

static int finish(ompls_mpi_line *l, void *request, char *status) {
    patience p = {0};
    for (int flag = 0, code;;) {
        if ((code = l->mpi->test(request, &flag, status)) != 0) return fail(l, code);
        if (flag) return LINE_FINE;
        if ((code = be_patient(l, &p, true)) != LINE_FINE) return code;
    }
}

static int send(ompls_mpi_line *l, const void *bytes, uint64_t size, int tag) {
    _Alignas(16) char request[16], status[STATUS];
    int code = l->mpi->isend(bytes, (int)size, l->mpi->byte, l->peer, tag, l->communicator, request);
    return code != 0 ? fail(l, code) : finish(l, request, status);
}

static int put(ompls_line *line, const void *frame, uint64_t size) {
    return send((ompls_mpi_line *)line, frame, size, FRAMES);
}

static int put_data(ompls_line *line, const void *bytes, uint64_t size) {
    return send((ompls_mpi_line *)line, bytes, size, PAYLOADS);
}

static int get(ompls_line *line, void *into, uint64_t *length) {
    ompls_mpi_line *l = (ompls_mpi_line *)line;
    patience p = {0};
    int code;
    if (!l->coming && !l->there && (code = expect(l)) != LINE_FINE) return code;
    while ((code = look(l)) == LINE_FINE && !l->there)
        if ((code = be_patient(l, &p, false)) != LINE_FINE) return code;
    if (code != LINE_FINE) return code;
    *length = (uint64_t)l->count;
    memcpy(into, l->frame, *length);
    return expect(l);
}

static int get_data(ompls_line *line, void *into, uint64_t size) {
    ompls_mpi_line *l = (ompls_mpi_line *)line;
    _Alignas(16) char request[16], status[STATUS];
    int count = 0, code = l->mpi->irecv(into, (int)size, l->mpi->byte, l->peer, PAYLOADS, l->communicator, request);
    if (code != 0) return fail(l, code);
    if ((code = finish(l, request, status)) != LINE_FINE) return code;
    if ((code = l->mpi->get_count(status, l->mpi->byte, &count)) != 0) return fail(l, code);
    return (uint64_t)count == size ? LINE_FINE : LINE_BROKEN;
}

/* --- other far sides ----------------------------------------------------------------------------------------------------- */

static bool port(ompls_line *line, char *name) {
    return ((ompls_mpi_line *)line)->mpi->port(name, OMPLS_PORT) == 0;
}

static ompls_line *meet(ompls_line *line, const char *port_of, double seconds) {
    ompls_mpi_line *l = (ompls_mpi_line *)line, *made = malloc(sizeof *made);
    uintptr_t communicator = made != NULL ? l->mpi->meet(port_of, seconds) : 0;
    if (communicator == 0) {
        free(made);
        return NULL;
    }
    ompls_mpi_line_make(made, l->mpi, communicator, 0, -1, seconds, l->line.spin);
    return &made->line;
}

static void part(ompls_line *line, ompls_line *peer) {
    ((ompls_mpi_line *)line)->mpi->part(((ompls_mpi_line *)peer)->communicator, peer->patience);
    free(peer);
}

static const ompls_meeting meeting = {port, meet, part};

void ompls_mpi_line_make(ompls_mpi_line *l, const ompls_mpi *mpi, uintptr_t communicator, int peer, int launcher, double patience, bool spin) {
    const ompls_meeting *meets = mpi->meet != NULL ? &meeting : NULL;
    *l = (ompls_mpi_line){.line = {get, put, get_data, put_data, patience, spin, meets}, .mpi = mpi, .communicator = communicator, .peer = peer, .launcher = launcher};
}

static _Thread_local int said = -1;

static void in_child(void) {
    for (int i = STDOUT_FILENO; said >= 0 && i <= STDERR_FILENO; i++) dup2(said, i);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, in_child);
}

void ompls_mpi_starts(int file) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    said = file;
}

void ompls_mpi_line_end(ompls_mpi_line *l) {
    _Alignas(16) char status[STATUS];
    while (l->coming && look(l) == LINE_FINE && l->there && expect(l) == LINE_FINE) ;
    if (l->coming && l->mpi->cancel(l->request) == 0) l->mpi->wait(l->request, status);
    l->coming = false;
}
