"""Files that options name: never written over what is read, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ompls.cli.problem import Problem

_SOURCES = (".c", ".h", ".i", ".toml")


def refuse(file: str, inputs: Iterable[str]) -> None:
    """Raises Problem when `file` is one of `inputs` or has the name of a source.  What is no file loses nothing."""
    real = os.path.realpath(file)
    if os.path.exists(real) and not os.path.isfile(real):
        return
    if real in {os.path.realpath(name) for name in inputs}:
        raise Problem(f"cannot write {file}: it is a file that is read; name another one")
    if real.endswith(_SOURCES):
        raise Problem(f"cannot write {file}: it has the name of a source file; name another one")


def refuse_special(file: str) -> None:
    """Raises Problem when there is something that no file can replace."""
    real = os.path.realpath(file)
    if os.path.exists(real) and not os.path.isfile(real):
        raise Problem(f"cannot write {file}: it is no regular file; name another one")


def write(file: str, text: str) -> None:
    """Raises Problem when it cannot be written: what was there is left alone then, where it is a file."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        if os.path.exists(file) and not os.path.isfile(file):
            Path(file).write_bytes(data)
        else:
            _replace(os.path.realpath(file), data)
    except OSError as error:
        raise Problem(f"cannot write {file}: {error.strerror}; write it somewhere else") from error


def _replace(real: str, data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(real), prefix=".ompls-", delete=False) as stream:
        try:
            stream.write(data)
            stream.flush()
            os.chmod(stream.name, os.stat(real).st_mode & 0o7777 if os.path.exists(real) else 0o666 & ~_umask())
            os.replace(stream.name, real)
        except BaseException:
            os.unlink(stream.name)
            raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
