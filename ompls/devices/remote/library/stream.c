/* stream.c -- the far side as a program: its standard input and output are the line (streams.py is at the other end). */
#define _GNU_SOURCE
#include "far.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stream_line.h"

int main(void) {
    ompls_stream_line line;
    int from = fcntl(0, F_DUPFD_CLOEXEC, 10), to = fcntl(1, F_DUPFD_CLOEXEC, 10);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (from < 0 || to < 0 || nothing < 0) {
        fprintf(stderr, "ompls: error: starting the far side: %s\n", strerror(errno));
        return 125;
    }
    dup2(nothing, 0); /* what kernels read is not the line */
    ompls_stream_line_make(&line, from, to, 0);
    ompls_stream_line_meets(&line);
    _exit(ompls_far_serve(&line.line)); /* a kernel that failed may hold locks */
}
