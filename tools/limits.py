"""`make limits SUITE=DIR`: whether what `ompls check --device` says of a device's limits is what `translate` refuses.

    tools/limits.py DIR… [--device cudasim] [-- -Iflags]

Of each region both have to say the same.  A refusal of the translator (it stops at a region's first one) that no
warning at that line announces is *silent*; a warning of the rules about a device in a region that is translated is
*false*.  A refusal that no rule knows of, so that `check` repeats its words, is *late*: no editor shows one.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

_SECONDS = 60  # for one file
_TARGET = b"target"
# The rules that speak about what a device cannot do; others of the group speak about what it does slowly.
_LIMITS = ("unsupported-on-device", "device-library-function", "device-type")


@dataclass
class Compared:
    """What one file's two answers differ in, each `LINE: MESSAGE`; `failure` when there was no answer."""

    agreed: int = 0
    late: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    failure: str = ""


def compare(path: Path, device: str, flags: Sequence[str]) -> Compared:
    """Both answers about one file."""
    from ompls.cli.engine import Engine, Options, diagnostics
    from ompls.project.targets import targets
    from ompls.translate import translate

    unit = Engine(Options((str(path),), tuple(flags), {"preview.device": device})).unit(str(path))
    limits = [d for d in diagnostics(unit) if d.severity != "hint"]
    devices = unit.tu.settings.devices
    refused = translate([unit.tu], devices, targets(devices)).diagnostics
    source = unit.tu.source

    def line(at: int) -> int:
        return source.count(b"\n", 0, at) + 1

    said = Compared()
    for problem in refused:
        where = (problem.where.path, line(problem.where.start))
        rules = {d.rule for d in limits if (d.where.path, line(d.where.start)) == where}
        if rules - {problem.rule}:
            said.agreed += 1
        else:
            (said.late if rules else said.silent).append(f"{where[1]}: {problem.message}")
    regions = [
        (line(at.start), line(at.end))
        for item in unit.tu.items
        for region in item.content.regions
        if (at := unit.tu.locate(item, region.stmt.span)).path == unit.tu.path
    ]
    for d in limits:
        here = line(d.where.start)
        spans = [(first, last) for first, last in regions if first <= here <= last]
        if d.rule in _LIMITS and spans:
            lines = [line(p.where.start) for p in refused]
            if not any(first <= n <= last for n in lines for first, last in spans):
                said.false.append(f"{here}: {d.message} [{d.rule}]")
    return said


def _one(job: tuple[Path, str, tuple[str, ...]]) -> Compared:
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(_SECONDS)
    try:
        return compare(*job)
    except Exception as error:  # noqa: BLE001 -- a crash is a result here
        return Compared(failure=f"{type(error).__name__}: {error}")
    finally:
        signal.alarm(0)


def _too_long(_number: int, _frame: object) -> None:
    raise TimeoutError(f"no answer after {_SECONDS} s")


def main(arguments: Sequence[str]) -> int:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="limits.py", description=__doc__)
    parser.add_argument("suite", type=Path, nargs="+")
    parser.add_argument("--device", default="cudasim")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments[:at])
    paths = [p for folder in given.suite for p in ([folder] if folder.is_file() else sorted(folder.rglob("*.c")))]
    paths = [p for p in paths if p.is_file() and _TARGET in p.read_bytes()]
    flags = tuple(arguments[at + 1 :])
    whole = Compared()
    failures = 0
    with ProcessPoolExecutor(given.jobs) as pool:
        for path, one in zip(paths, pool.map(_one, [(p, given.device, flags) for p in paths]), strict=True):
            whole.agreed += one.agreed
            whole.late += one.late
            whole.silent += one.silent
            whole.false += one.false
            failures += bool(one.failure)
            for kind, texts in (("late", one.late), ("silent", one.silent), ("false", one.false)):
                for text in texts:
                    print(f"{path}:{text} ({kind})", flush=True)
            if one.failure:
                print(f"{path}: {one.failure}", flush=True)
    print(
        f"{len(paths)} files: {whole.agreed} refusals known to rules, {len(whole.late)} late, "
        f"{len(whole.silent)} silent, {len(whole.false)} false warnings, {failures} failures"
    )
    return 1 if whole.silent or whole.false or failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
