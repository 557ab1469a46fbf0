"""`ompls check --fix`: applies the quick fixes that are safe, never over a file that changed meanwhile."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ompls.analysis.diagnostic import Edit
from ompls.analysis.fixing import apply
from ompls.cli.problem import Problem


def write(chosen: Mapping[str, list[Edit]], sources: Mapping[str, bytes]) -> int:
    """Write the changed files and return how many edits were made.  A file changed meanwhile is left alone."""
    count = 0
    for path, edits in chosen.items():
        current = Path(path).read_bytes()
        if current != sources.get(path, current):
            raise Problem(f"cannot fix {path}: it changed while it was checked; run the command again")
        _replace(Path(path), apply(current, edits))
        count += len(set(edits))
    return count


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
