/* stream.c -- the program that a machine without Python runs: it reads the far side from its standard input and serves it
   there (streams.py is the other end). */
#define _GNU_SOURCE
#include "far.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int fail(const char *what, const char *why) {
    fprintf(stderr, "ompls: error: %s: %s\n", what, why);
    return 125;
}

int main(void) {
    enum { PIECE = 1 << 16 };
    static char piece[PIECE];
    uint64_t size;
    ompls_stream_line line;
    int from = fcntl(0, F_DUPFD_CLOEXEC, 10), to = fcntl(1, F_DUPFD_CLOEXEC, 10);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), file = memfd_create("ompls-far", MFD_CLOEXEC);
    if (from < 0 || to < 0 || nothing < 0 || file < 0) return fail("starting", strerror(errno));
    dup2(nothing, 0); /* what kernels read is not the line */
    ompls_stream_line_make(&line, from, to, 0);
    if (ompls_stream_get(&line, &size, sizeof size) != LINE_FINE) return fail("reading the far side", "the line is broken");
    for (uint64_t left = size; left > 0;) {
        uint64_t part = left < PIECE ? left : PIECE;
        if (ompls_stream_get(&line, piece, part) != LINE_FINE) return fail("reading the far side", "the line is broken");
        if (write(file, piece, part) != (ssize_t)part) return fail("keeping the far side", strerror(errno));
        left -= part;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    void *library = dlopen(path, RTLD_NOW), *found = library == NULL ? NULL : dlsym(library, "ompls_far_serve");
    if (found == NULL) return fail("loading the far side", dlerror());
    int (*serve)(ompls_line *);
    memcpy(&serve, &found, sizeof serve);
    _exit(serve(&line.line)); /* a kernel that failed may hold locks */
}
