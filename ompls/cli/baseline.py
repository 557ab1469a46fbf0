"""Baselines: findings that are known already, so that a check speaks of new ones only.

A finding is recognised by its rule, its message and the text of its line, and by which of several equal ones in the
file it is: lines may move, other lines may change, and a file may get another name.  Paths in a baseline are meant from
its own directory.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from ompls.analysis.diagnostic import Diagnostic
from ompls.cli.places import Places
from ompls.cli.problem import Problem

_VERSION = 1


def fingerprints(found: Sequence[Diagnostic], places: Places) -> list[str]:
    """One for each, the same after edits of other lines; without the file's name."""
    seen: Counter[tuple[str, str]] = Counter()
    made = []
    for diagnostic in found:
        line = places.line(diagnostic.where.path, places.range(diagnostic.where).start_line)
        text = "\0".join((diagnostic.rule, " ".join(line.split()), diagnostic.message))
        number = seen[diagnostic.where.path, text]
        seen[diagnostic.where.path, text] += 1
        data = f"{text}\0{number}".encode("utf-8", "surrogateescape")
        made.append(hashlib.sha256(data).hexdigest()[:32])
    return made


def write(file: str, found: Sequence[Diagnostic], places: Places) -> None:
    """Raises Problem when it cannot be written."""
    entries = sorted(_entries(file, found, places))
    findings = [{"file": name, "rule": rule, "fingerprint": mark} for name, rule, mark in entries]
    text = json.dumps({"ompls_baseline": _VERSION, "findings": findings}, indent=1) + "\n"
    try:
        Path(file).write_text(text, encoding="ascii")
    except OSError as error:
        raise Problem(f"cannot write {file}: {error.strerror}; write it somewhere else") from error


def known(file: str, found: Sequence[Diagnostic], places: Places) -> set[Diagnostic]:
    """Those of `found` that are in the baseline `file`.  Raises Problem when it cannot be read."""
    try:
        data = json.loads(Path(file).read_bytes())
        if data["ompls_baseline"] != _VERSION:
            raise Problem(f"cannot read {file}: it is of another version of ompls; write it again (--write-baseline)")
        entries = {(entry["file"], entry["rule"], entry["fingerprint"]) for entry in data["findings"]}
    except OSError as error:
        raise Problem(f"cannot read {file}: {error.strerror}; make it with --write-baseline") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Problem(f"cannot read {file}: it is no baseline; make one with --write-baseline") from error
    base = os.path.dirname(os.path.abspath(file))
    moved = Counter((rule, mark) for name, rule, mark in entries if not os.path.exists(os.path.join(base, name)))
    same = set()
    for diagnostic, (name, rule, mark) in zip(found, _entries(file, found, places), strict=True):
        if (name, rule, mark) in entries:
            same.add(diagnostic)
        elif moved[rule, mark]:  # what a file had that is not there any more, one has now that is new
            moved[rule, mark] -= 1
            same.add(diagnostic)
    return same


def _entries(file: str, found: Sequence[Diagnostic], places: Places) -> Iterable[tuple[str, str, str]]:
    base = os.path.dirname(os.path.abspath(file))
    for diagnostic, mark in zip(found, fingerprints(found, places), strict=True):
        name = os.path.relpath(os.path.abspath(diagnostic.where.path), base)
        yield os.fsencode(name).decode("utf-8", "backslashreplace"), diagnostic.rule, mark
