"""`make conformance SUITE=DIR`: runs a checkout of the public OpenMP validation suite, prints a table per version.

For each C target test: how many of its target regions were found (against what `gcc -E` shows in the lines of the main
file), whether the rules stay silent (the programs are valid: any warning or error is a false alarm), whether it
translates, compiles, and passes: exit code 0, no result line of the suite that says otherwise (a number of errors that
is a multiple of 256 is exit code 0), and, by the trace, at least one region that really ran on the device.

A test of the suite's static library is translated with the library's source.  One that says that it needs more devices
(exit code 101, the suite's for *skipped*) runs again with two.  `--markdown` prints what `docs/conformance.md` has;
`conformance_reasons.json` beside this file says why a file fails for good.

A file is a *C target test* when its text holds a pragma with the word `target`, or one of the suite's offloading
probes, which hold one.  Every file is worked on by a child process with a deadline.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ompls.cli.engine import Unit
    from ompls.runtime.build import Built

VERSIONS = ("4.5", "5.0", "5.1", "5.2", "6.0")
STAGES = ("regions", "clean", "translated", "compiled", "passed")
_TARGET = re.compile(r'pragma\s*(?:\(\s*")?\s*omp\b(?:[^\n]|\\\n)*\btarget\b', re.IGNORECASE)
_PROBE = re.compile(r"\bOMPVV_TEST_(OFFLOADING|AND_SET_OFFLOADING|SHARED_ENVIRONMENT|AND_SET_SHARED_ENVIRONMENT)")
_ENVIRONMENT = re.compile(r"test_(\w+?)_env_(\w+)\.c")  # as the suite's own Makefile reads it
_NOT_PASSED = re.compile(r"^\[OMPVV_RESULT: [^\n]*\] Test (?!passed(?: on the device)?\.$)[^\n]*", re.MULTILINE)
_SKIPPED = 101  # OMPVV_SKIPPED_EXIT_CODE
_REASONS = Path(__file__).with_name("conformance_reasons.json")
_MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')
_REGION = re.compile(r"\s*#\s*pragma\s+omp\s+target\b(?!\s*(?:data|enter|exit|update|_data|_enter|_exit|_update)\b)")
_CHOICE = re.compile(
    r"\s*#\s*pragma\s+omp\s+(?:begin\s+)?metadirective\b.*[:(]\s*target\b(?!\s*(?:data|enter|exit|update))"
)


@dataclass
class Result:
    """What became of one file.  A stage that was not reached is absent from `stages`."""

    file: str
    stages: dict[str, bool] = field(default_factory=dict)
    expected_regions: int = 0
    found_regions: int = 0
    reason: str = ""  # why the first stage failed that did
    seconds: float = 0.0


def target_tests(suite: Path, version: str) -> list[Path]:
    """The C target tests of a version, in the order of their names."""
    chosen = []
    for path in sorted((suite / "tests" / version).rglob("*.c")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if _TARGET.search(text) or _PROBE.search(text):
            chosen.append(path)
    return chosen


def regions_by_gcc(path: Path, flags: list[str]) -> int | None:
    """The number of target constructs with a region that gcc's preprocessor shows in lines of the main file."""
    command = ["gcc", "-E", "-fopenmp", *flags, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    if done.returncode != 0:
        return None
    count, current = 0, ""
    for line in done.stdout.splitlines():
        marker = _MARKER.match(line)
        if marker:
            current = marker.group(2)
        elif current == str(path) and (_REGION.match(line) or _CHOICE.match(line)):
            count += 1
    return count


def run_child(path: Path, options: argparse.Namespace) -> Result:
    """Work on one file in a child process, which is killed with all that it started when its time is over."""
    command = [sys.executable, str(Path(__file__).resolve()), str(options.suite), "--one", str(path)]
    command += ["--device", options.device, "--timeout", str(options.timeout), "--until", options.until]
    start = time.monotonic()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True
    )
    try:
        out, err = child.communicate(timeout=3 * options.timeout + 60)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        result = Result(str(path), reason="the child process ran past its deadline")
    else:
        lines = [line for line in out.splitlines() if line.startswith('{"file":')]
        if lines:
            result = Result(**json.loads(lines[-1]))
        else:
            result = Result(str(path), reason=f"crash: {(err.strip().splitlines() or ['no message'])[-1]}")
    result.file = str(path.relative_to(options.suite))
    result.seconds = round(time.monotonic() - start, 2)
    return result


def work(path: Path, suite: Path, device: str, timeout: float, until: str) -> Result:
    """All stages for one file, in this process; stops at the first that fails, but `clean` is no precondition."""
    flags = [f"-I{suite / 'ompvv'}"]
    result = Result(str(path))
    last = STAGES.index(until)

    from ompls.cli.engine import analyze, diagnostics

    units = list(analyze([str(path), *_library(suite, path)], flags))
    unit = units[0]
    expected = regions_by_gcc(path, flags)
    result.found_regions = sum(len(item.content.regions) for item in unit.tu.items)
    result.expected_regions = result.found_regions if expected is None else expected
    result.stages["regions"] = result.found_regions == result.expected_regions
    if not result.stages["regions"]:
        result.reason = f"{result.found_regions} of {expected} regions found"
    if last >= 1:
        alarms = [found for found in diagnostics(unit) if found.severity != "hint"]
        result.stages["clean"] = not alarms
        if alarms:
            result.reason = result.reason or f"false alarm [{alarms[0].rule}] {alarms[0].message}"
    if last >= 2:
        _translate_and_run(result, units, device, timeout, last=last, flags=flags)
    return result


def _library(suite: Path, path: Path) -> list[str]:
    """The source of the suite's own library when a test includes its header."""
    uses = '"libompvv.h"' in path.read_text(encoding="utf-8", errors="replace")
    return [str(suite / "ompvv/libompvv.c")] if uses else []


def _translate_and_run(
    result: Result, units: list[Unit], device: str, timeout: float, *, last: int, flags: list[str]
) -> None:
    from ompls.cli import pipeline
    from ompls.cli.problem import Problem, Refused

    def failed(stage: str, why: str) -> None:
        result.stages[stage] = False
        result.reason = result.reason or why

    with tempfile.TemporaryDirectory(prefix="ompls-conformance-") as scratch:
        try:
            bundle = pipeline.translated(units, pipeline.devices_here(device), flags)
        except Refused as error:
            return failed("translated", f"not translatable: {error}")
        result.stages["translated"] = True
        if last < 3:
            return None
        try:
            built = pipeline.build(bundle, Path(scratch), device, [*flags, "-lm"])
        except Problem as error:
            said = getattr(error.__cause__, "output", "").splitlines()
            return failed("compiled", next((line for line in said if "error:" in line), str(error)))
        result.stages["compiled"] = True
        if last < 4:
            return None
        return _run(result, built, Path(scratch), timeout, device)


def _run(result: Result, built: Built, scratch: Path, timeout: float, device: str) -> None:
    from ompls.cli import pipeline, trace

    log = scratch / "trace.jsonl"
    variable = _ENVIRONMENT.match(Path(result.file).name)
    if variable:
        os.environ[variable.group(1).upper()] = variable.group(2)
    code, text = pipeline.launch_captured(built, timeout=timeout, record=log)
    if code == _SKIPPED and "," not in device:
        two = replace(built, devices=f"{built.devices},{built.devices}")
        code, text = pipeline.launch_captured(two, timeout=timeout, record=log)
    launches = 0
    if log.exists():
        launches = sum(event.get("kind") == "launch" for event in trace.recorded(str(log)).events)
    why = _why_failed(code, text, launches)
    result.stages["passed"] = not why
    result.reason = result.reason or why


def _why_failed(code: int, text: str, launches: int) -> str:
    """Why a test has not passed, by its exit code, what it says itself, and how many regions ran; '' when it has."""
    said = _NOT_PASSED.search(text)
    if code != 0 or said is not None:
        line = said.group() if said is not None else (text.strip().splitlines() or ["no output"])[-1]
        return f"exit code {code}: {line[:200]}"
    return "" if launches else "no region ran on the device"


def table(results: dict[str, list[Result]], until: str) -> str:
    """Counts by version and stage; regions as found/expected, the other columns as files of files."""
    stages = STAGES[: STAGES.index(until) + 1]
    rows = [("version", "files", "regions", *(f"{stage:>10}" for stage in ("complete", *stages[1:])))]
    total: Counter[str] = Counter()
    for version, entries in [*results.items(), ("all", [r for group in results.values() for r in group])]:
        found = sum(min(r.found_regions, r.expected_regions) for r in entries)
        counts = [sum(r.stages.get(stage, False) for r in entries) for stage in stages]
        cells = [_share(count, len(entries)) for count in counts]
        rows.append((version, str(len(entries)), f"{found}/{sum(r.expected_regions for r in entries)}", *cells))
        total["files"] += len(entries)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def markdown(results: dict[str, list[Result]], until: str) -> str:
    """The table as a page has it, and another of the files that failed with the reasons; only files that matter."""
    head, *rows = (re.split(r"  +", line.strip()) for line in table(results, until).splitlines())
    lines = [head, ["---"] * len(head), *([re.sub(r" \(.*", "", cell) for cell in row] for row in rows)]
    known: dict[str, str] = json.loads(_REASONS.read_text())
    lines += [[], ["file", "reason"], ["---", "---"]]
    for result in (r for group in results.values() for r in group if r.reason):
        lines.append([f"`{result.file.removeprefix('tests/')}`", known.get(result.file, result.reason)])
    return "\n".join(f"| {' | '.join(line)} |" if line else "" for line in lines)


def _share(count: int, of: int) -> str:
    return f"{count} ({100 * count / of:.0f}%)" if of else "-"


def main() -> int:
    options = _options()
    if options.one:
        result = work(options.one, options.suite, options.device, options.timeout, options.until)
        print(json.dumps(asdict(result)))
        return 0
    if not (options.suite / "tests").is_dir():
        message = "it has no directory 'tests'; give a checkout of OpenMP_VV"
        print(f"conformance: error: cannot run {options.suite}: {message}", file=sys.stderr)
        return 2
    results: dict[str, list[Result]] = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for version in options.versions.split(","):
            files = [f for f in target_tests(options.suite, version) if options.only in str(f)]
            results[version] = list(pool.map(lambda path: run_child(path, options), files))
            print(f"{version}: {len(files)} files done", file=sys.stderr, flush=True)
    print(f"C target tests of {options.suite.name} on {options.device} (a 'target' pragma or an offloading probe)")
    print((markdown if options.markdown else table)(results, options.until))
    if options.list_failures:
        for result in (r for group in results.values() for r in group if r.reason):
            print(f"{result.file}: {result.reason}")
    if options.json:
        dump = {version: [asdict(r) for r in group] for version, group in results.items()}
        options.json.write_text(json.dumps({"device": options.device, "versions": dump}, indent=1) + "\n")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="conformance", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suite", type=lambda word: Path(word).resolve(), help="a checkout of OpenMP_VV")
    parser.add_argument("--device", default="cudasim", help="cudasim (default), host or cuda")
    parser.add_argument("--versions", default=",".join(VERSIONS), help="comma list")
    parser.add_argument("--only", default="", metavar="TEXT", help="only files whose path contains TEXT")
    parser.add_argument("--until", choices=STAGES, default="passed", help="the last stage (default: passed)")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds for a test's own run (default 30)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every result there")
    parser.add_argument("--list-failures", action="store_true", help="name each file that failed, with the reason")
    parser.add_argument("--markdown", action="store_true", help="tables as docs/conformance.md has them")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
