"""Files that somebody names, read whole: what is no file of a disk may have no end, or wait for somebody."""

from __future__ import annotations

import errno
import os
import stat


def read_regular(path: str, most: int) -> bytes:
    """The bytes of a regular file.  Raises OSError, also for what is none and for one of more than `most` bytes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO would wait for a writer
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, "it has more than {} KiB".format(most >> 10))
    return data
