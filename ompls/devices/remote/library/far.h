/* far.h -- the parts of the far side of a remote device. */
#ifndef OMPLS_FAR_H
#define OMPLS_FAR_H
#include "../../../runtime/core/device.h"
#include "line.h"

/* Serve the program at the other end until it closes the device or is gone.  Returns 0 after `close`. */
int ompls_far_serve(ompls_line *line);

/* Do `work`; not 0 when a signal of the machine ended it, a wrong address for example, in whichever thread: `err` says
   which.  What it held is lost then.  `first` to `last` are the addresses of the device's memory. */
int ompls_far_guard(void (*work)(void *), void *with, uint64_t first, uint64_t last, ompls_error *err);
/* Whether signals end the work (1) or are nobody's doing here (0) from now on; how it was before. */
int ompls_far_guarded(int on);
#endif
