/* stream_line.c -- frames over two descriptors (line.h), which are set not to block where somebody is impatient. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "stream_line.h"

static const uint64_t PAYLOAD = (uint64_t)1 << 63;

static int patience_of(const ompls_stream_line *l) {
    return l->line.patience > 0 ? (int)(l->line.patience * 1000) : -1;
}

static int wait_for(const ompls_stream_line *l, struct pollfd *files, nfds_t count) {
    int ready;
    do ready = poll(files, count, patience_of(l));
    while (ready < 0 && errno == EINTR);
    return ready > 0 ? LINE_FINE : ready == 0 ? LINE_SILENT : LINE_BROKEN;
}

static int take(ompls_stream_line *l, void *into, uint64_t size) {
    for (char *at = into; size > 0;) {
        ssize_t got = read(l->from, at, size);
        if (got > 0) {
            at += got, size -= (uint64_t)got;
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            return LINE_BROKEN;
        } else if (errno == EAGAIN) {
            int code = wait_for(l, &(struct pollfd){.fd = l->from, .events = POLLIN}, 1);
            if (code != LINE_FINE) return code;
        }
    }
    return LINE_FINE;
}

/* A beat, which is all that comes while we send, and before a payload; `length`: of the message. */
static int take_beat(ompls_stream_line *l, uint64_t length) {
    char beat[sizeof wire_beat];
    if (length != sizeof beat) return LINE_BROKEN;
    int code = take(l, beat, sizeof beat);
    return code == LINE_FINE && memcmp(beat, wire_beat, sizeof beat) != 0 ? LINE_BROKEN : code;
}

static int take_a_beat(ompls_stream_line *l) {
    uint64_t length;
    int code = take(l, &length, sizeof length);
    return code == LINE_FINE ? take_beat(l, length) : code;
}

/* A socket that is broken is no reason to end the program; a pipe that is, ends the far side. */
static ssize_t write_some(int to, const void *bytes, uint64_t size) {
    ssize_t done = send(to, bytes, size, MSG_NOSIGNAL);
    return done < 0 && errno == ENOTSOCK ? write(to, bytes, size) : done;
}

static int give(ompls_stream_line *l, const void *bytes, uint64_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t done = write_some(l->to, at, size);
        if (done > 0) {
            at += done, size -= (uint64_t)done;
        } else if (done < 0 && errno != EINTR && errno != EAGAIN) {
            return LINE_BROKEN;
        } else if (errno == EAGAIN) {
            struct pollfd files[] = {{.fd = l->to, .events = POLLOUT}, {.fd = l->from, .events = POLLIN}};
            int code = wait_for(l, files, 2);
            if (code == LINE_FINE && files[0].revents == 0) code = take_a_beat(l);
            if (code != LINE_FINE) return code;
        }
    }
    return LINE_FINE;
}

static int put_message(ompls_line *line, uint64_t length, const void *bytes, uint64_t size) {
    ompls_stream_line *l = (ompls_stream_line *)line;
    int code = give(l, &length, sizeof length);
    return code == LINE_FINE ? give(l, bytes, size) : code;
}

static int put(ompls_line *line, const void *frame, uint64_t size) {
    char message[sizeof size + OMPLS_FRAME]; /* one system call, and one packet */
    if (size > OMPLS_FRAME) return LINE_BROKEN;
    memcpy(message, &size, sizeof size);
    memcpy(message + sizeof size, frame, size);
    return give((ompls_stream_line *)line, message, sizeof size + size);
}

static int put_data(ompls_line *line, const void *bytes, uint64_t size) {
    return put_message(line, size | PAYLOAD, bytes, size);
}

static int get(ompls_line *line, void *into, uint64_t *length) {
    ompls_stream_line *l = (ompls_stream_line *)line;
    int code = take(l, length, sizeof *length);
    if (code == LINE_FINE && *length > OMPLS_FRAME) code = LINE_BROKEN;
    return code == LINE_FINE ? take(l, into, *length) : code;
}

static int get_data(ompls_line *line, void *into, uint64_t size) {
    ompls_stream_line *l = (ompls_stream_line *)line;
    for (uint64_t length;;) {
        int code = take(l, &length, sizeof length);
        if (code != LINE_FINE) return code;
        if (length == (size | PAYLOAD)) return take(l, into, size);
        if ((code = take_beat(l, length)) != LINE_FINE) return code;
    }
}

void ompls_stream_line_make(ompls_stream_line *l, int from, int to, double patience) {
    *l = (ompls_stream_line){.line = {get, put, get_data, put_data, patience, false}, .from = from, .to = to};
    if (patience > 0) {
        fcntl(from, F_SETFL, fcntl(from, F_GETFL) | O_NONBLOCK);
        fcntl(to, F_SETFL, fcntl(to, F_GETFL) | O_NONBLOCK);
    }
}
