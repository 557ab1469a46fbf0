/* stream_peers.c -- far sides of one machine and one user meet over a socket that no other user can speak through (line.h).
   Its address is one that the system chooses, in no directory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "stream_line.h"

enum { FIRST = offsetof(struct sockaddr_un, sun_path) + 1 }; /* behind the 0 that such an address begins with */

static int waiting = -1; /* who connects comes here */

static bool port(ompls_line *line, char *name) {
    (void)line;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(sa_family_t);
    if (waiting < 0) {
        waiting = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (waiting < 0 || bind(waiting, (struct sockaddr *)&address, size) != 0 || listen(waiting, 16) != 0) return false;
    }
    size = sizeof address;
    if (getsockname(waiting, (struct sockaddr *)&address, &size) != 0 || size <= FIRST) return false;
    snprintf(name, OMPLS_PORT, "%.*s", (int)(size - FIRST), address.sun_path + 1);
    return true;
}

static int connected(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (length >= sizeof address.sun_path || file < 0) return file;
    memcpy(address.sun_path + 1, name, length);
    if (connect(file, (struct sockaddr *)&address, (socklen_t)(FIRST + length)) == 0) return file;
    close(file);
    return -1;
}

static int accepted(double patience) {
    struct pollfd coming = {.fd = waiting, .events = POLLIN};
    return poll(&coming, 1, (int)(patience * 1000)) == 1 ? accept4(waiting, NULL, NULL, SOCK_CLOEXEC) : -1;
}

static bool is_ours(int file) {
    struct ucred other = {0};
    socklen_t size = sizeof other;
    return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == geteuid();
}

static ompls_line *meet(ompls_line *line, const char *port_of, double patience) {
    (void)line;
    int file = port_of != NULL ? connected(port_of) : accepted(patience);
    ompls_stream_line *made = file >= 0 && is_ours(file) ? malloc(sizeof *made) : NULL;
    if (made == NULL) {
        if (file >= 0) close(file);
        return NULL;
    }
    ompls_stream_line_make(made, file, file, patience);
    return &made->line;
}

static void part(ompls_line *line, ompls_line *peer) {
    (void)line;
    close(((ompls_stream_line *)peer)->from);
    free(peer);
}

static const ompls_meeting meeting = {port, meet, part};

void ompls_stream_line_meets(ompls_stream_line *line) {
    line->line.meeting = &meeting;
}
