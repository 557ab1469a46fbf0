"""`make faults`: do the tests notice when our own code has a fault?

    tools/faults.py [--all] [--only ID…] [--keep FILE] [--likely FILE] [--limit SECONDS] [--list]

Each fault of tests/faults/faults.toml is put into a private copy of the tree, and the tests of its layer and of those
above it are run there until one fails: first the files that name the faulty source, then all, the nearest layer's
first.  A failure counts when the same test fails a second time, and
passes without the fault.  `make test`'s tests are run, or with --all all of them.  tests/faults/verdicts.toml says
what caught the faults first, the suite of then or a test that was written since: of these, 90 % have to be caught (with
--all: all of them).

--keep FILE: verdicts that FILE has are taken over, new ones are added to it at once; so a run can go on later.  Where
there was no time, --only ID… asks again.  --likely FILE: verdicts of another suite; the test that caught a fault
there is asked first, where this suite has it.
Nothing is written outside of .cache/faults, and only compiled objects stay there.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from ompls.runtime.awake import awake
from ompls.runtime.contained import Contained

ROOT = Path(__file__).resolve().parents[1]
FAULTS = ROOT / "tests/faults/faults.toml"
FIRST = ROOT / "tests/faults/verdicts.toml"  # what caught the faults first
PLACE = ROOT / ".cache/faults"
OWN_TEST = "tests/tools/test_fault_list.py"  # it would see each fault, whatever that does
LIMIT = 600.0  # seconds for one fault
ENOUGH = 90  # per cent that the tests of `make test` have to catch
_LEFT_OUT = (".*", "*.egg-info", "node_modules", "dist", "build", "prepared")

# Layer -> where its sources are (the first that fits counts), and where its tests and those of the layers above are.
_ABOVE = (
    "corpus", "features", "project", "translate", "cli", "server", "examples", "tools", "fuzz", "runtime", "cudasim",
)  # fmt: skip
LAYERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "syntax": (("analysis/syntax/",), ("pragma", "frontend", "model", "dataenv", "rules", *_ABOVE)),
    "model": (("analysis/model/",), ("model", "dataenv", "rules", *_ABOVE)),
    "dataenv": (("analysis/dataenv/",), ("dataenv", "rules", *_ABOVE)),
    "features": (("analysis/features/",), ("features", "server", "cli")),
    "rules": (("analysis/",), ("rules", "corpus", "features", "cli", "server", "tools")),
    "project": (("project/",), ("project", "frontend", "cli", "server", "translate", "examples", "tools")),
    "translate": (("translate/",), ("translate", "examples", "cli", "server", "runtime", "cudasim", "cuda", "tools")),
    "core": (("runtime/core/",), ("runtime", "examples", "translate", "cudasim", "cuda", "cli", "tools")),
    "devices": (("devices/",), ("cudasim", "cuda", "runtime", "examples", "translate", "cli", "tools")),
    "runtime": (("runtime/",), ("runtime", "cudasim", "cuda", "cli", "examples", "translate", "server", "tools")),
    "server": (("server/",), ("server",)),
    "cli": (("cli/",), ("cli", "tools")),
}
_KEYS = frozenset(("project", "runtime"))  # they decide what is found in a cache: each fault gets one of its own


@dataclass(frozen=True)
class Fault:
    """`old`, which stands in `file` exactly once, becomes `new`; `says` is what is wrong then."""

    id: str
    says: str
    file: str
    old: str
    new: str

    @property
    def layer(self) -> str:
        places = ((layer, "ompls/" + place) for layer, (places, _) in LAYERS.items() for place in places)
        return next(layer for layer, place in places if self.file.startswith(place))

    def tests(self, tree: Path) -> list[list[str]]:
        """What to run, step by step: the test files that are about the faulty source by name or import it, then
        directories."""
        directories = [f"tests/{name}" for name in LAYERS[self.layer][1] if (tree / "tests" / name).exists()]
        source = Path(self.file).with_suffix("")
        told = rf"\b{re.escape('.'.join(source.parts))}\b|\bimport\b.*\b{source.name}\b"
        if "_" in source.name:  # a rule
            told += rf"|\b{source.name.replace('_', '-')}\b"
        files = [path for directory in directories for path in sorted((tree / directory).rglob("test_*.py"))]
        about = [p for p in files if p.stem == f"test_{source.name}" or re.search(told, p.read_text(encoding="utf-8"))]
        near = [str(path.relative_to(tree)) for path in about]
        return [step for step in (near, *([directory] for directory in directories)) if step]

    def made_in(self, text: str) -> str:
        """`text` with the fault.  Raises ValueError."""
        if text.count(self.old) != 1:
            times = f"{text.count(self.old)} times" if self.old in text else "nowhere"
            raise ValueError(
                f"fault '{self.id}': its old text stands {times} in {self.file}; put it anew in {FAULTS.name}"
            )
        return text.replace(self.old, self.new)


@dataclass(frozen=True)
class Verdict:
    """What the tests said of a fault: `by` is the test that caught it, '' when none did.

    ran  -- the files and directories that were run, the last ones not to their end where it was caught or `late`
    late -- there was no time for more
    """

    by: str
    ran: tuple[str, ...]
    late: bool
    seconds: int

    def __str__(self) -> str:
        took = f"({self.seconds} s)"
        if self.by:
            return f"caught by {self.by} {took}"
        return f"NOT CAUGHT{' in time' if self.late else ''} by {', '.join(self.ran) or 'anything'} {took}"


def read_faults(path: Path = FAULTS) -> list[Fault]:
    """Raises ValueError, which names all those that cannot be put into the tree as it is."""
    faults = [Fault(name, **entry) for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items()]
    problems = []
    for fault in faults:
        try:
            fault.made_in((ROOT / fault.file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            problems.append(str(problem))
    if problems:
        raise ValueError("\n".join(problems))
    return faults


def read_verdicts(path: Path) -> dict[str, Verdict]:
    if not path.exists():
        return {}
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: Verdict(v["by"], tuple(v["ran"]), v["late"], v["seconds"]) for name, v in found.items()}


def write_verdicts(path: Path, verdicts: dict[str, Verdict], faults: Sequence[Fault]) -> None:
    """In the order of the faults; those that were not run yet are named in comments."""

    def entry(name: str) -> str:
        if name not in verdicts:
            return f"# [{name}] was not run yet\n"
        fields: dict[str, Any] = {key: getattr(verdicts[name], key) for key in ("by", "ran", "late", "seconds")}
        return f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())

    head = "# What the tests said of each fault (tools/faults.py): `by` is the one that caught it, if any.\n"
    beside = path.with_name(path.name + ".new")
    beside.write_text("\n".join([head, *(entry(fault.id) for fault in faults)]), encoding="utf-8")
    beside.replace(path)


# --- the private tree ------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def workshop() -> Iterator[Workshop]:
    """A place for copies; when it is left only compiled objects stay."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"another run is at work in {PLACE}; wait for its end") from None
        made = Workshop(PLACE)
        try:
            made.clear()
            made.make_python()
            yield made
        finally:
            made.clear()


@dataclass
class Workshop:
    """`tree` is the copy; `python` imports ompls from there, wherever it is started and whatever its environment is."""

    place: Path
    broken: list[str] = field(default_factory=list)  # tests that fail here without a fault, too

    def __post_init__(self) -> None:
        self.tree, self.venv = self.place / "tree", self.place / "venv"
        self.python = self.venv / "bin/python"

    def clear(self) -> None:
        for name in ("tree", "venv", "tests", "own"):
            shutil.rmtree(self.place / name, ignore_errors=True)

    def make_python(self) -> None:
        """An environment whose only .pth file names the tree, then the packages that are installed for this one (of
        which no .pth file is read: theirs would lead to the checkout)."""
        venv.EnvBuilder(symlinks=True).create(self.venv)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(self.venv)}))
        installed = sysconfig.get_path("purelib")
        (packages / "faults.pth").write_text(f"{self.tree}\n{installed}\n", encoding="utf-8")
        for tool in Path(sysconfig.get_path("scripts")).iterdir():
            if not (self.venv / "bin" / tool.name).exists():
                (self.venv / "bin" / tool.name).symlink_to(tool)
        for name, entry in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"].items():
            module, function = entry.split(":")
            command = self.venv / "bin" / name
            command.unlink(missing_ok=True)
            command.write_text(
                f"#!{self.python}\nimport sys\n\nfrom {module} import {function}\n\nsys.exit({function}())\n"
            )
            command.chmod(0o755)

    def renew(self) -> None:
        """Copy the tree once more, as tests leave things in it."""
        shutil.rmtree(self.tree, ignore_errors=True)
        shutil.copytree(ROOT, self.tree, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
        asked = [self.python, "-I", "-c", "import ompls; print(ompls.__file__)"]
        found = subprocess.run(asked, cwd="/", capture_output=True, text=True, check=True).stdout.strip()
        if found != str(self.tree / "ompls/__init__.py"):
            raise SystemExit(f"the tests would import {found}, not the copy in {self.tree}")

    def put(self, file: str, text: str) -> None:
        """Write a source, and forget what was compiled from it: times of a second are too coarse to tell."""
        path = self.tree / file
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()

    def environment(self, own_cache: bool) -> dict[str, str]:
        """Objects are kept by what they are made from, so faults can share them; but not faults in how that is done."""
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        path = f"{self.venv / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        cache = self.place / ("own" if own_cache else "objects")
        return {**kept, "PATH": path, "OMPLS_CACHE_DIR": str(cache), "COLUMNS": "400"}

    def pytest(self, arguments: Sequence[str], own_cache: bool, seconds: float) -> tuple[int, str]:
        """(exit code, output) of pytest in the tree.  Raises subprocess.TimeoutExpired."""
        said = self.place / "said"
        command = [
            str(self.python), "-m", "pytest", "-q", "-rfE", "--no-cov", "-p", "no:cacheprovider",
            f"--basetemp={self.place / 'tests'}", *arguments,
        ]  # fmt: skip
        environment = self.environment(own_cache)
        try:
            with (
                said.open("wb") as stream,
                Contained(
                    command, cwd=str(self.tree), env=environment, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream
                ) as run,
            ):
                code = run.wait(max(1.0, seconds))
            return code, said.read_text(encoding="utf-8", errors="replace")
        finally:
            said.unlink(missing_ok=True)


def failed(output: str) -> str:
    """The first test (or file) that pytest's summary names; '' when it names none."""
    found = re.search(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\w+)*(?:\[.*?\])?)(?: - .*)?$", output, re.MULTILINE)
    return found[1] if found else ""


def verdict_of(shop: Workshop, fault: Fault, selected: Sequence[str], limit: float, likely: str = "") -> Verdict:
    """Run the tests of one fault until one catches it, or the time is over; the test `likely`, if any, first."""
    shop.renew()
    source = (shop.tree / fault.file).read_text(encoding="utf-8")
    faulty = fault.made_in(source)
    shop.put(fault.file, faulty)
    own = fault.layer in _KEYS
    if own:
        shutil.rmtree(shop.place / "own", ignore_errors=True)
    begun = time.monotonic()
    ran: list[str] = []
    unsteady: list[str] = []  # failed once and not again

    def left() -> float:
        return limit - (time.monotonic() - begun)

    def verdict(by: str, late: bool = False) -> Verdict:
        return Verdict(by, tuple(ran), late, round(time.monotonic() - begun))

    try:
        for step in ([likely], *fault.tests(shop.tree)) if likely else fault.tests(shop.tree):
            if left() <= 0:
                return verdict("", late=True)
            done = [f"--ignore={name}" for name in (OWN_TEST, *ran)]
            ran += step
            while True:
                passed_over = [f"--deselect={test}" for test in (*shop.broken, *unsteady)]
                together = ("-x", "-n", "2", "--dist", "loadfile", *done, *passed_over)
                code, output = shop.pytest((*step, *together, *selected), own, left())
                if code in (0, 5) or (code == 4 and step == [likely]):  # 5: nothing of it is selected; 4: not there
                    break
                test = failed(output)
                if not test:
                    raise SystemExit(f"pytest {' '.join(step)} ended with {code}, and names no test:\n{output[-2000:]}")
                if shop.pytest([test], own, LIMIT)[0] == 0:
                    unsteady.append(test)
                    continue
                shop.put(fault.file, source)
                good = shop.pytest([test], own_cache=False, seconds=LIMIT)[0] == 0
                shop.put(fault.file, faulty)
                if good:
                    return verdict(test)
                print(f"  {test} fails without a fault, too", file=sys.stderr, flush=True)
                shop.broken.append(test)
    except subprocess.TimeoutExpired:
        return verdict("", late=True)
    return verdict("")


# --- what comes out --------------------------------------------------------------------------------------------------


def summary(faults: Sequence[Fault], now: dict[str, Verdict], first: dict[str, Verdict]) -> str:
    """A line for each layer, and what of that which the suite caught at first is caught now."""
    lines = [f"{'layer':10} {'faults':>6} {'run':>4} {'caught':>6}"]
    for layer in LAYERS:
        own = [f for f in faults if f.layer == layer]
        run = [f for f in own if f.id in now]
        if own:
            lines.append(f"{layer:10} {len(own):6} {len(run):4} {sum(bool(now[f.id].by) for f in run):6}")
    run = [f for f in faults if f.id in now]
    lines.append(f"{'all':10} {len(faults):6} {len(run):4} {sum(bool(now[f.id].by) for f in run):6}")
    caught, known = compared(now, first)
    if known:
        lines.append(f"of {known} that were caught at first, {caught} are caught: {100 * caught / known:.0f} %")
    return "\n".join(lines)


def compared(now: dict[str, Verdict], first: dict[str, Verdict]) -> tuple[int, int]:
    """(how many are caught, of how many) of the faults that were run and that the suite caught at first."""
    known = [name for name, verdict in first.items() if verdict.by and name in now]
    return sum(bool(now[name].by) for name in known), len(known)


def main() -> int:
    parser = argparse.ArgumentParser(description="which faults in our own code the tests catch")
    parser.add_argument("--all", action="store_true", help="run all tests, not only those of `make test`")
    parser.add_argument("--only", nargs="+", metavar="ID", default=[], help="these faults only")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="go on with the verdicts in FILE, and add to them")
    parser.add_argument("--likely", type=Path, metavar="FILE", help="ask the tests first that catch the faults in FILE")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="for one fault (default: 600)")
    parser.add_argument("--list", action="store_true", help="say what the faults are, and run nothing")
    chosen = parser.parse_args()
    try:
        faults = read_faults()
    except ValueError as problem:
        raise SystemExit(str(problem)) from None
    if chosen.list:
        print("\n".join(f"{fault.id} ({fault.layer}): {fault.says}" for fault in faults))
        return 0
    if unknown := sorted(set(chosen.only) - {fault.id for fault in faults}):
        raise SystemExit(f"no fault is called {', '.join(unknown)}; see --list")
    verdicts = read_verdicts(chosen.keep) if chosen.keep else {}
    likely = {name: verdict.by for name, verdict in read_verdicts(chosen.likely).items()} if chosen.likely else {}
    known = {name for name, verdict in verdicts.items() if not (verdict.late and name in chosen.only)}
    wanted = [f for f in faults if (not chosen.only or f.id in chosen.only) and f.id not in known]
    selected = () if chosen.all else ("-m", "not thorough")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), awake(), workshop() as shop:
        for fault in wanted:
            verdicts[fault.id] = verdict_of(shop, fault, selected, chosen.limit, likely.get(fault.id, ""))
            print(f"{fault.id} ({fault.layer}): {verdicts[fault.id]}", flush=True)
            if chosen.keep:
                write_verdicts(chosen.keep, verdicts, faults)
    first = read_verdicts(FIRST)
    print(summary(faults, verdicts, first))
    caught, of = compared(verdicts, first)
    complete = all(fault.id in verdicts for fault in wanted)
    return 0 if complete and 100 * caught >= (100 if chosen.all else ENOUGH) * of else 1


if __name__ == "__main__":
    sys.exit(main())
