"""What the C core costs on `host`, beside gcc's fallback and libomptarget: ns per construct, and ratios.

python bench/core_bench.py [--json FILE]

Compiles core_bench.c three times: with ompls for `host`, with gcc (which runs regions in place: the floor), and, where
it is installed, with clang-19 and its x86-64 device, which has separate copies too and is the peer.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import smallest

SOURCE = Path(__file__).with_name("core_bench.c")
LLVM = "/usr/lib/llvm-19/lib"
LIMIT_NS = 500  # a region whose data is present: the project's promise
GROWTH_NS = 50  # for each further variable that is present
LARGE = ("update_1m", "enter_exit_1m")  # two copies each: bound by the memory, not by us


def figures(command: list[str]) -> dict[str, float] | None:
    """The lines `NAME NUMBER` that a program prints, or None when it could not be run."""
    env = {**os.environ, "LD_LIBRARY_PATH": LLVM}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{command[0]}: ended with {done.returncode}: {done.stderr.strip()[-500:]}", file=sys.stderr)
        return None
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def compiled(compiler: list[str], program: Path) -> dict[str, float] | None:
    """Build with an ordinary compiler and measure; None when it is not there or cannot build it."""
    if shutil.which(compiler[0]) is None:
        return None
    if subprocess.run([*compiler, str(SOURCE), "-o", str(program)], capture_output=True, check=False).returncode != 0:
        return None
    return figures([str(program)])


def broken(ours: dict[str, float], clang: dict[str, float] | None) -> list[str]:
    """The promises that these figures do not keep."""
    out = []
    growth = (ours["present_1000"] - ours["present_1"]) / 999
    print(f"each further present variable: {growth:.1f} ns")
    if ours["present_1"] > LIMIT_NS or growth > GROWTH_NS:
        out.append(f"present_1 <= {LIMIT_NS} ns, growth <= {GROWTH_NS} ns")
    for name in LARGE:
        bandwidth = 2 * ours["memcpy_1m"] / ours[name]
        print(f"{name}: {bandwidth:.0%} of memcpy's bandwidth")
        if bandwidth < 0.9:
            out.append(f"{name}: at least 90 % of memcpy's bandwidth")
    for name, peer in (clang or {}).items():
        if name in ours and name != "memcpy_1m" and ours[name] > peer * (1.05 if name in LARGE else 0.5):
            out.append(f"{name}: at most {'1.05' if name in LARGE else 'half'} of clang-19's time")
    return out


def main() -> int:
    """Measure and print; 1 when the core is slower than it promises."""
    parser = smallest.parser(__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    flags = ["-O2", "-DROUNDS=1"] if options.smallest else ["-O2"]
    with tempfile.TemporaryDirectory() as scratch:
        ours = figures([sys.executable, "-m", "ompls", "run", "--device", "host", *flags, str(SOURCE)])
        gcc = compiled(["gcc", "-fopenmp", "-foffload=disable", *flags], Path(scratch) / "gcc")
        targets = "-fopenmp-targets=x86_64-pc-linux-gnu"
        clang = compiled(["clang-19", "-fopenmp", targets, *flags], Path(scratch) / "clang")
    if ours is None or ours.pop("on_device") != 1:
        print("the regions did not run on the device", file=sys.stderr)
        return 1
    print(f"{'ns per construct':18} {'ompls':>10} {'gcc':>10} {'clang-19':>10} {'clang/ompls':>12}")
    for name, value in ours.items():
        others = [(peer or {}).get(name) for peer in (gcc, clang)]
        ratio = f"{others[1] / value:.1f}x" if others[1] else "-"
        print(
            f"{name:18} {value:10.1f}",
            *(f"{other:10.1f}" if other else f"{'-':>10}" for other in others),
            f"{ratio:>12}",
        )
    if options.json:
        options.json.write_text(json.dumps({"ompls": ours, "gcc": gcc, "clang-19": clang}, indent=2))
    problems = [] if options.smallest else broken(ours, clang)
    for problem in problems:
        print(f"not kept: {problem}", file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
