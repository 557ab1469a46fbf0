"""Compare the CUDA that ompls generates with hand-written CUDA, without a GPU: what NVIDIA's compiler makes of both.

    python bench/gpu/static.py [--only NAME] [--arch sm_53,…] [--ptx] [--suite DIR] [--json FILE] [--renew]

It translates the OpenMP programs of pairs.py, compiles their kernels and those by hand with nvrtc, and counts
(counts.py) in machine code where there is a disassembler (OMPLS_NVDISASM, `make bench-static`), else in PTX.  A `*`
marks what misses its goal.  README.md says what the columns mean.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]

import counts  # noqa: E402 - it reads blocks.py of the tools
import smallest  # noqa: E402
from blocks import functions  # noqa: E402
from pairs import OURS, PROGRAMS, SUITES, Pair  # noqa: E402

from ompls.analysis.model.builder import Analyzer  # noqa: E402
from ompls.analysis.source import Settings  # noqa: E402
from ompls.devices.cuda.module import nvrtc  # noqa: E402
from ompls.devices.cuda.module.image import RESTRICT  # noqa: E402
from ompls.project.devices import registry  # noqa: E402
from ompls.project.targets import targets  # noqa: E402
from ompls.project.workspace import Workspace  # noqa: E402
from ompls.translate import translate  # noqa: E402

ARCHITECTURES = ("sm_53", "sm_75", "sm_87", "sm_90")
COMMITTED = HERE / "static.json"
GOALS = {"inner": 1.03, "whole": 1.10, "registers": 1.05}  # ratios, ours to by hand
TOLERANCE = 0.02  # of what is committed: compilers of other minor versions differ that much


@dataclass(frozen=True)
class Cost:
    """What one kernel costs on one architecture."""

    whole: counts.Mix
    hot: counts.Mix | None
    ptx: counts.Mix  # 64-bit operations have a type there only
    registers: int
    shared: int
    spills: int

    @property
    def read_only(self) -> float:
        """The share of the read-only path in all loads, of the hot loop where there is one."""
        mix = self.hot if self.hot and self.hot.loads + self.hot.read_only else self.whole
        return mix.read_only / max(mix.loads + mix.read_only, 1)

    @property
    def width(self) -> float:
        """Bytes of a load, there too."""
        return (self.hot if self.hot and self.hot.loads + self.hot.read_only else self.whole).width


# --- both sides' kernels ------------------------------------------------------------------------------------------


@functools.cache
def regions(source: str) -> dict[str, str]:
    """The kernel files of a C file for `cuda`, by the regions' names.  Raises SystemExit when it is refused."""
    workspace = Workspace([str(ROOT)])
    path, text = ROOT / source, (ROOT / source).read_bytes()
    unit = Analyzer().analyze(source, text, workspace.snapshot(str(path), text, workspace.flags(str(path))), Settings())
    chosen = [registry().devices["cuda"]]
    bundle = translate([unit], chosen, targets(chosen))
    if bundle.diagnostics:
        raise SystemExit(f"{source}: {bundle.diagnostics[0].message}")
    kernels = bundle.manifest["units"][0]["kernels"]
    return {kernel["region"]: bundle.files[kernel["files"]["gpu"]].decode() for kernel in kernels}


def by_hand(pair: Pair, suite: Path | None) -> str:
    """The text with the hand-written kernel.  Raises SystemExit when a suite's file has it no more."""
    text = ((suite or HERE / "cuda") / pair.file).read_text(errors="replace")
    if suite:
        kernel = re.search(rf"^__global__\s+void\s+{pair.kernel}\s*\(.*?^}}", text, re.S | re.M)
        if kernel is None:
            raise SystemExit(f"{suite / pair.file}: no kernel {pair.kernel}")
        text = f'{pair.before}extern "C" {kernel[0]}\n'
    for name, value in pair.fixed.items():
        head = rf"({pair.kernel}\([^)]*), int {name}(\)\n{{)"
        text, done = re.subn(head, rf"\1\2\n    const int {name} = {value};", text)
        if not done:
            raise SystemExit(f"{pair.file}: the last parameter of {pair.kernel} is not 'int {name}'")
    return text


def disassembler() -> str:
    """The path of nvdisasm, or nothing."""
    return os.environ.get("OMPLS_NVDISASM", "")


@functools.cache
def compiled(text: str, arch: str, tool: str) -> dict[str, Cost]:
    """What every kernel of a text costs, in machine code when `tool` names a disassembler."""
    made = nvrtc.compile(text, arch, options=[RESTRICT], with_ptx=True)
    if not made.ok:
        raise SystemExit(f"{text.splitlines()[0]}: {made.log}")
    ptx = functions(made.ptx.decode())
    code = functions(_disassembled(tool, made.code)) if tool else ptx
    return {
        name: Cost(
            counts.whole(code, name),
            counts.hot(code, name),
            counts.whole(ptx, name),
            needs.registers,
            needs.shared,
            needs.spill_stores + needs.spill_loads,
        )
        for name, needs in nvrtc.resources(made).items()
    }


def _disassembled(tool: str, code: bytes) -> str:
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        return subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=True).stdout


# --- comparing ----------------------------------------------------------------------------------------------------


def compare(pair: Pair, arch: str, tool: str, suite: Path | None = None) -> dict[str, Any]:
    """The figures of one pair: ratios, and what both sides have of the rest.

    A region may have two versions, of which the launch chooses; compared is the one for arrays that do not overlap, as
    the hand-written kernel demands it.
    """
    (ours,) = compiled(regions(pair.source)[pair.region], arch, tool).values()
    theirs = compiled(by_hand(pair, suite), arch, tool)[pair.kernel]
    inner = counts.inner(ours.hot, theirs.hot)
    return {
        "inner": None if inner is None else round(inner, 3),
        "whole": round(ours.whole.instructions / theirs.whole.instructions, 3),
        "registers": round(ours.registers / theirs.registers, 3),
        "spills": [ours.spills, theirs.spills],
        "shared": [ours.shared, theirs.shared],
        "read_only": [round(ours.read_only, 2), round(theirs.read_only, 2)],
        "width": [round(ours.width, 1), round(theirs.width, 1)],
        "wide": [ours.ptx.wide, theirs.ptx.wide],
        "address": [ours.ptx.address, theirs.ptx.address],
    }


def misses(figures: Mapping[str, Any]) -> set[str]:
    """Which figures miss their goal."""
    found = {name for name, goal in GOALS.items() if figures[name] is not None and figures[name] > goal}
    found |= {name for name in ("spills", "wide") if figures[name][0] > figures[name][1]}
    if figures["read_only"][0] < figures["read_only"][1]:
        found.add("read_only")
    if figures["width"][0] < figures["width"][1] * (1 - TOLERANCE):
        found.add("width")
    return found


def fallen(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """What is worse than it was, in words."""
    found = []
    for name in GOALS:
        if now[name] is not None and before[name] is not None and now[name] > before[name] * (1 + TOLERANCE):
            found.append(f"{name} {before[name]} -> {now[name]}")
    for name in ("spills", "shared", "wide"):
        if now[name][0] > max(now[name][1], before[name][0]):
            found.append(f"{name} {before[name][0]} -> {now[name][0]}")
    for name in ("read_only", "width"):
        if now[name][0] < min(now[name][1], before[name][0]) * (1 - TOLERANCE):
            found.append(f"{name} {before[name][0]} -> {now[name][0]}")
    return found


# --- output -------------------------------------------------------------------------------------------------------

COLUMNS = ("inner", "whole", "registers", "spills", "shared", "read_only", "width", "wide", "address")


def cell(figures: Mapping[str, Any], name: str, missed: Iterable[str]) -> str:
    value = figures[name]
    if value is None:
        text = "-"
    elif isinstance(value, list):
        text = "/".join(f"{v:g}" for v in value)
    else:
        text = f"{value:.2f}"
    return text + ("*" if name in missed else " ")


def table(results: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterable[str]:
    """Lines: a row for each kernel and architecture, then the mean and the worst of each architecture."""
    width = max(len(name) for name in results)
    yield f"{'kernel':<{width}} {'arch':<6}" + "".join(f"{name:>11}" for name in COLUMNS)
    for name, rows in results.items():
        for arch, figures in rows.items():
            missed = misses(figures)
            yield f"{name:<{width}} {arch:<6}" + "".join(f"{cell(figures, c, missed):>11}" for c in COLUMNS)
    for arch in next(iter(results.values())):
        for word, summary in (("geometric mean", _mean), ("worst", max)):
            line = f"{word:<{width}} {arch:<6}"
            for name in GOALS:
                values = [rows[arch][name] for rows in results.values() if rows[arch][name] is not None]
                line += f"{summary(values):>10.3f} " if values else f"{'-':>10} "
            yield line


def _mean(values: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def renew(results: Mapping[str, Any]) -> None:
    """Write the committed file: a line for each kernel and architecture."""
    lines = [
        f'  "{name} {arch}": {json.dumps(figures)}' for name, rows in results.items() for arch, figures in rows.items()
    ]
    major, minor = nvrtc.version()
    COMMITTED.write_text(f'{{\n"nvrtc": "{major}.{minor}",\n"kernels": {{\n' + ",\n".join(lines) + "\n}\n}\n")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = smallest.parser(__doc__)
    parser.add_argument("--only", default="", help="pairs whose name contains this")
    parser.add_argument("--programs", action="store_true", help="the six programs only")
    parser.add_argument("--arch", default=",".join(ARCHITECTURES), help="architectures, separated by commas")
    parser.add_argument("--ptx", action="store_true", help="count in PTX although there is a disassembler")
    parser.add_argument(
        "--suite", type=Path, metavar="DIR", help="compare with the kernels of a checkout of PolyBench-ACC"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    parser.add_argument("--renew", action="store_true", help="write static.json, which tests compare with")
    options = parser.parse_args()
    if options.renew and (options.only or options.programs or options.suite):
        parser.error("--renew writes all of static.json: leave out --only, --programs and --suite")
    if nvrtc.available() is None:
        smallest.lacks("nvrtc is not installed (extra cuda-preview)")
    if options.smallest:
        options.only, options.arch, options.ptx = "saxpy", ARCHITECTURES[0], True
    return options


def main() -> int:
    options = arguments()
    tool = "" if options.ptx or options.renew else disassembler()
    chosen = PROGRAMS if options.programs else OURS
    if options.suite:
        chosen = tuple(pair for pair in SUITES if (options.suite / pair.file).exists())
    results = {
        pair.name: {arch: compare(pair, arch, tool, options.suite) for arch in options.arch.split(",")}
        for pair in chosen
        if options.only in pair.name
    }
    if not results:
        raise SystemExit("no pair is left: --suite names no checkout of a suite, or no name has what --only says")
    print("\n".join(table(results)))
    print("counted in " + ("machine code" if tool else "PTX (set OMPLS_NVDISASM to count in machine code)"))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    if options.renew:
        renew(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
