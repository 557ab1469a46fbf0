"""What fixes have made of texts: written to the files, never over one that changed meanwhile, or shown as a diff."""

from __future__ import annotations

import difflib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ompls.cli.places import shown
from ompls.cli.problem import Problem


def write(originals: Mapping[str, bytes], texts: Mapping[str, bytes]) -> None:
    """Write what has become of each of `originals` (by path).  A file that changed meanwhile is left alone: Problem."""
    for path, original in originals.items():
        try:
            current = Path(path).read_bytes()
        except OSError as error:
            raise Problem(f"cannot fix {shown(path)}: {error.strerror}; run the command again") from error
        if current != original:
            raise Problem(f"cannot fix {shown(path)}: it changed while it was checked; run the command again")
    for path in originals:
        _replace(Path(path), texts[path])


def diff(originals: Mapping[str, bytes], texts: Mapping[str, bytes]) -> str:
    """What `write` would change, as `patch` and `git apply` read it (from the working directory)."""
    parts: list[str] = []
    for path in sorted(originals):
        old, new = (_lines(its[path]) for its in (originals, texts))
        name = shown(path)
        parts += _marked(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))
    return "".join(parts)


def _lines(text: bytes) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text.decode("utf-8", "surrogateescape"))


def _marked(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _replace(path: Path, content: bytes) -> None:
    """Write a new file beside the old one and rename it over: a full disk does not cost the user's text."""
    target = path.resolve()
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as stream:
            stream.write(content)
        os.chmod(stream.name, target.stat().st_mode)
        os.replace(stream.name, target)
    except OSError as error:
        raise Problem(f"cannot write {path}: {error.strerror}; check the permissions of the directory") from error
