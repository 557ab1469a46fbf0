"""`make peers SUITE=DIR`: programs that are not ours, each run as gcc builds it and by `ompls run` on each device.

A program counts when it is one C file with a `target` pragma that gcc builds and that ends with 0 on the host.  It is
right on a device when it ends with 0 there too, prints the same (numbers may differ in their last digits) and, by the
trace, ran something there.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

_TARGET = re.compile(r"pragma\s+omp\b(?:[^\n]|\\\n)*\btarget\b")
_MAIN = re.compile(r"\bmain\s*\(")
_NUMBER = re.compile(r"[-+]?\d+\.\d+(?:[eE][-+]?\d+)?")
_MEASURED = re.compile(r"\b(?:times?|elapsed|sec(?:ond)?s?|\d+\.?\d*m?s|[GMK]i?B/s|[GMK]?flops?)\b", re.IGNORECASE)
SECONDS = 20  # for one run of one program
TOLERANCE = 1e-4  # of printed floating-point numbers


@dataclass(frozen=True)
class Outcome:
    """verdict -- 'right', 'host' (nothing ran on the device), 'differs', 'refused' (by us, with a reason), 'broken'."""

    file: str
    device: str
    verdict: str
    reason: str = ""


def programs(suite: Path) -> Iterator[Path]:
    for path in sorted(found for found in suite.rglob("*.c") if found.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace")
        if _TARGET.search(text) and _MAIN.search(text) and "dg-error" not in text:
            yield path


def run(command: list[str | Path], where: Path, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    """(exit code, stdout, stderr); 124 when it took too long."""
    try:
        done = subprocess.run(
            command, cwd=where, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=6 * SECONDS
        )
    except subprocess.TimeoutExpired:
        return 124, "", "took too long"
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def alike(ours: str, theirs: str) -> bool:
    """The same text, but for the last digits of floating-point numbers, and for times that were measured."""
    lines = [line for line in ours.splitlines() if not _MEASURED.search(line)]
    others = [line for line in theirs.splitlines() if not _MEASURED.search(line)]
    if len(ours.splitlines()) != len(theirs.splitlines()):
        return False
    ours, theirs = "\n".join(lines), "\n".join(others)
    if _NUMBER.sub("#", ours) != _NUMBER.sub("#", theirs):
        return False
    pairs = zip(_NUMBER.findall(ours), _NUMBER.findall(theirs), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=TOLERANCE) for a, b in pairs)


def judge(path: Path, devices: list[str], flags: list[str]) -> list[Outcome]:
    """One program on every device; nothing when it is not one that gcc runs."""
    with tempfile.TemporaryDirectory(prefix="ompls-peers-") as directory:
        where = Path(directory)
        program = where / "program"
        build: list[str | Path] = ["gcc", "-w", "-fopenmp", "-foffload=disable", "-O1", "-ffp-contract=off"]
        if run([*build, "-I", path.parent, *flags, "-o", program, path, "-lm"], where)[0]:
            return []
        code, wanted, _ = run(["timeout", str(SECONDS), program], where)
        if code:
            return []
        return [_on(device, path, flags, wanted, where) for device in devices]


def _on(device: str, path: Path, flags: list[str], wanted: str, where: Path) -> Outcome:
    trace = where / f"{device}.trace"
    start: list[str | Path] = [sys.executable, "-m", "ompls", "run", "--device", device, "--timeout", str(3 * SECONDS)]
    command = [*start, "--trace", trace, "-w", "-O1", "-ffp-contract=off", "-I", path.parent, *flags, path, "-lm"]
    code, printed, said = run(command, where, {**os.environ, "OMPLS_COLOR": "never"})
    first = next((x for x in said.splitlines() if "error" in x), said.strip().splitlines()[-1] if said.strip() else "")
    if "cannot be translated" in said:
        return Outcome(str(path), device, "refused", first)
    if code:
        return Outcome(str(path), device, "broken", f"exit code {code}: {first}")
    if not alike(printed, wanted):
        pairs = zip(printed.splitlines(), wanted.splitlines(), strict=False)
        different = next((f"{a!r} instead of {b!r}" for a, b in pairs if not alike(a, b)), "more or fewer lines")
        return Outcome(str(path), device, "differs", different)
    launched = trace.exists() and '"launch"' in trace.read_text(encoding="utf-8", errors="replace")
    return Outcome(str(path), device, "right" if launched else "host")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--device", action="append", default=[], help="host, cudasim (default: both)")
    parser.add_argument("--flag", action="append", default=[], help="for the compiler, as --flag=-Iinclude")
    parser.add_argument("--match", default="", help="only files whose path contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if not arguments.suite.is_dir():
        print(f"peers: {arguments.suite}: not a directory; name one with C programs", file=sys.stderr)
        return 2
    chosen = [p.resolve() for p in programs(arguments.suite) if arguments.match in str(p)]
    devices = arguments.device or ["host", "cudasim"]
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for made in pool.map(lambda p: judge(p, devices, arguments.flag), chosen):
            for outcome in made:
                outcomes.append(outcome)
                if outcome.verdict not in ("right", "host"):
                    print(f"{outcome.file}: {outcome.device}: {outcome.verdict}: {outcome.reason}", flush=True)
    for device in devices:
        counted = Counter(o.verdict for o in outcomes if o.device == device)
        print(f"{device}: {sum(counted.values())} programs: " + ", ".join(f"{n} {v}" for v, n in counted.most_common()))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(o) for o in outcomes], indent=1))
    return 1 if any(o.verdict in ("differs", "broken") for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
