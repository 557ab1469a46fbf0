"""`make bench`: measures, and compares with bench/baseline.json.

The machines differ, so a figure is compared after division by the time of a fixed piece of Python (`calibration`):
a ratio of 1.0 means as fast as when the baseline was stored, 2.0 twice as slow.

    python bench/run.py [--store] [--only TEXT] [--json FILE]
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import generate
import smallest

ROOT = Path(__file__).resolve().parents[1]
BASELINE = Path(__file__).with_name("baseline.json")
SAXPY = ROOT / "examples" / "saxpy.c"
SMALLEST = "--smallest" in sys.argv
AS_SMALL = ["--smallest"] if SMALLEST else []


def best(action: Callable[[], object], rounds: int = 5) -> float:
    """The shortest time of `action` in milliseconds: the least disturbed one."""
    times = []
    for _ in range(1 if SMALLEST else rounds):
        gc.collect()
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def calibration() -> float:
    """A fixed mixture of what the analysis does: slicing, dictionaries, calls."""

    def work() -> int:
        seen: dict[bytes, int] = {}
        text = b"int main(void) { return 0; } " * 200
        for start in range(0, len(text) - 8, 2):
            key = text[start : start + 8]
            seen[key] = seen.get(key, 0) + len(key)
        return sum(sorted(seen.values()))

    return best(lambda: [work() for _ in range(20)])


def analysis() -> dict[str, float]:
    """The generated file of 2,000 lines and 500 regions: from scratch, after a keystroke, and the rules."""
    count = 25 if SMALLEST else 500
    from ompls.analysis.model.builder import Analyzer
    from ompls.analysis.rules import check
    from ompls.analysis.source import Settings
    from ompls.project.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "big.c")
        source = generate.source(count).encode()
        Path(path).write_bytes(source)
        workspace = Workspace([folder])
        snapshot = workspace.snapshot(path, source, workspace.flags(path))
        settings = Settings()
        scratch = best(lambda: Analyzer().analyze(path, source, snapshot, settings), 3)
        analyzer = Analyzer()
        tu = analyzer.analyze(path, source, snapshot, settings)
        regions = sum(len(item.content.regions) for item in tu.items)
        if regions != count:
            raise SystemExit(f"bench: the analysis found {regions} of {count} regions")
        rules = best(lambda: check(Analyzer().analyze(path, source, snapshot, settings)), 3) - scratch
        check(tu)
        keystrokes = []
        for position in range(20):
            at = source.index(b"for (", len(source) * (position + 1) // 22) + 5
            edited = source[:at] + b"x" + source[at:]
            start = time.perf_counter()
            check(analyzer.analyze(path, edited, snapshot, settings))
            keystrokes.append(1000 * (time.perf_counter() - start))
    return {
        "analysis of 500 regions from scratch": scratch,
        "rules on 500 regions from scratch": max(rules, 0.01),
        "analysis and rules after a keystroke (median)": statistics.median(keystrokes),
    }


def cold_check() -> dict[str, float]:
    """`ompls check examples/saxpy.c` as a new process, the header cache warm and the Python files compiled."""
    command = [sys.executable, "-m", "ompls", "check", str(SAXPY)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    checked = best(lambda: subprocess.run(command, check=True, env=environment), 7)
    return {"cold `ompls check examples/saxpy.c`": checked}


def cudasim() -> dict[str, float]:
    """The launch of saxpy's 1,048,576 threads on cudasim, as its trace times it, and the whole cached run."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        command = [sys.executable, "-m", "ompls", "run", "--device", "cudasim", "--trace", trace, str(SAXPY)]
        launches = []

        def run() -> None:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            events = [json.loads(line) for line in Path(trace).read_text().splitlines()]
            launches.extend(event["duration"] / 1e6 for event in events if event.get("kind") == "launch")

        whole = best(run)
    return {"cudasim: saxpy's kernel, 1,048,576 threads": min(launches), "cudasim: `ompls run`, built before": whole}


def server() -> dict[str, float]:
    """The medians of bench/server_latency.py: the language server over stdio."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "figures")
        script = Path(__file__).with_name("server_latency.py")
        command = [sys.executable, str(script), "--regions", "500", "--json", result, *AS_SMALL]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        figures = json.loads(Path(result).read_text())
    return {name.replace("ompls:", "server:"): f["median"] for name, f in figures.items() if name.startswith("ompls:")}


def core() -> dict[str, float]:
    """What bench/core_bench.py says of the C core, in milliseconds like everything here."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "figures")
        script = Path(__file__).with_name("core_bench.py")
        command = [sys.executable, str(script), "--json", result, *AS_SMALL]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        figures = json.loads(Path(result).read_text())["ompls"]
    return {f"core on host: {name}": nanoseconds / 1e6 for name, nanoseconds in figures.items()}


MEASURES = (analysis, cold_check, cudasim, server, core)


def _shown(milliseconds: float) -> str:
    return f"{milliseconds:.2f} ms" if milliseconds >= 0.1 else f"{1e6 * milliseconds:.0f} ns"


def main() -> int:
    parser = smallest.parser(__doc__)
    parser.add_argument("--store", action="store_true", help="make these figures the baseline")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the measures whose name contains TEXT")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    options = parser.parse_args()
    unit = calibration()
    figures: dict[str, float] = {}
    for measure in MEASURES:
        if options.only in measure.__name__:
            figures.update(measure())
    stored = json.loads(BASELINE.read_text()) if BASELINE.exists() else {"calibration": unit, "figures": {}}
    print(f"calibration {unit:.1f} ms (baseline {stored['calibration']:.1f} ms)")
    for name, value in figures.items():
        old = stored["figures"].get(name)
        ratio = f"{value / unit / (old / stored['calibration']):5.2f} x" if old else "  new"
        print(f"{_shown(value):>12}  {ratio}  {name}")
    result = {
        "calibration": round(unit, 3),
        "figures": {name: float(f"{value:.4g}") for name, value in figures.items()},
    }
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    if options.store:
        BASELINE.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
