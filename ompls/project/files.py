"""Reading source files: what is refused, and what is said then.

Bytes that are not UTF-8 are accepted, as gcc accepts them (old sources have Latin-1 comments); the analysis notes it.
"""

from __future__ import annotations

import errno
import os
import stat

from ompls.project.problem import FileProblem

MAX_BYTES = 16 << 20
NOT_REGULAR = "is not a regular file"

_MARKS = {  # byte order marks, the longer first
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_REASONS = {
    errno.ENOENT: ("no such file", "check the spelling of the path"),
    errno.ENOTDIR: ("a part of the path is not a directory", "check the spelling of the path"),
    errno.EACCES: ("permission denied", "make the file readable"),
    errno.ELOOP: ("too many symbolic links", "remove the circular link"),
    errno.ENAMETOOLONG: ("the name is too long", "check the spelling of the path"),
}


def is_file(path: str) -> bool | None:
    """Whether `path` is, behind its links, a file of a disk; None when it is nothing, or a directory.

    What else there is (a pipe, a device, a text that the kernel makes up) may have no end, or wait for one.
    """
    try:
        mode = os.stat(path).st_mode
        return None if stat.S_ISDIR(mode) else stat.S_ISREG(mode) and not _of_the_kernel(path)
    except (OSError, ValueError):
        return None


def _of_the_kernel(path: str) -> bool:
    return os.path.realpath(path).startswith(("/proc/", "/sys/"))


def read_source(path: str) -> bytes:
    """The bytes of the C file `path`.  Raises FileProblem."""
    return checked(path, read_regular(path, MAX_BYTES, "name a C file", "split the file"))


def read_regular(path: str, most: int, instead: str = "put a file there", smaller: str = "make it smaller") -> bytes:
    """The bytes of a file of a disk, at most so many.

    instead, smaller -- the next step where it is none, and where it is larger
    Raises FileProblem.
    """
    try:
        # O_NONBLOCK: opening a FIFO must not wait for a writer
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else None
        reason, hint = _REASONS.get(number or 0, (str(error), "check the path"))
        raise FileProblem(path, reason, hint) from None
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):  # fdopen would refuse it, in other words
        os.close(descriptor)
        raise FileProblem(path, "is a directory", instead)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or _of_the_kernel(path):
            raise FileProblem(path, NOT_REGULAR, instead)
        if status.st_size > most:
            size = f"{status.st_size / (1 << 20):.1f} MB are more than the {most >> 20} MB that are read"
            raise FileProblem(path, size, smaller)
        try:
            data = file.read(most + 1)
        except OSError as error:
            raise FileProblem(path, error.strerror or str(error), "check the disk") from None
    if len(data) > most:
        raise FileProblem(path, f"is larger than {most >> 20} MB", smaller)
    return data


def checked(path: str, data: bytes) -> bytes:
    """`data` if it can be C source.  Raises FileProblem."""
    encoding = _wide_encoding(data)
    if encoding is not None:
        raise FileProblem(path, f"is {encoding}", f"convert it: iconv -f {encoding} -t UTF-8 {os.path.basename(path)}")
    if b"\0" in data:
        raise FileProblem(path, "is a binary file (it has NUL bytes)", "name a C source file")
    if len(data) > MAX_BYTES:
        raise FileProblem(path, f"is larger than {MAX_BYTES >> 20} MB", "split the file")
    return data


def _wide_encoding(data: bytes) -> str | None:
    """The encoding of a text whose characters have two or four bytes, by its mark or by where its NUL bytes are."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding
    head = data[:256]
    for first, encoding in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        nul, text = head[first::2], head[1 - first :: 2]
        if len(head) > 8 and not nul.strip(b"\0") and text.isascii() and b"\0" not in text:
            return encoding
    return None
