/* watched.h -- a process that works for the program and is not its child: whether it is still there, and runs. */
#ifndef OMPLS_WATCHED_H
#define OMPLS_WATCHED_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
    pid_t number;  /* 0: it was never there */
    uint64_t born; /* the kernel's time stamp of it: its number may be used again */
} ompls_watched;

typedef enum { OMPLS_RUNS, OMPLS_ENDED, OMPLS_STOPPED } ompls_process_state;

/* Until the child that leaves such a process behind has ended; 0: it did.  Or what strerror() says of it, ECHILD for what
   ompls_start_error() does: a signal has ended or stopped it. */
int ompls_await_child(pid_t child);
const char *ompls_start_error(int failed);

void ompls_note_process(ompls_watched *of, pid_t process); /* at once after its start */
bool ompls_process_ended(const ompls_watched *of);

/* For who waits for it, and asks every 20 ms.  `stopped` counts, from 0: a process that a signal has stopped for a second is.  A
   debugger's stop is none, and while the program is stopped, too (Ctrl-Z), nobody counts. */
ompls_process_state ompls_see_process(const ompls_watched *of, int *stopped);
#endif
