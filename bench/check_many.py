"""`ompls check` as continuous integration runs it: 500 files of 200 lines, with no header cache and with a warm one.

    python bench/check_many.py [--files N] [--jobs N] [--distinct] [--json FILE]

What is aimed at, on two cores: 20 s with a warm header cache, 40 s without one.  A compiler over the same files is the
peer (`clang -fsyntax-only`, else gcc).  Processor time (user and system, with children) is what a busy machine leaves
comparable.  The functions of the files are alike, and we analyse what some files have in common once; with `--distinct`
each file has functions of its own, so that nothing can be shared but headers.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import generate
import smallest

LINES = 200
_INCLUDES = ("<stdlib.h>", "<string.h>", "<omp.h>", "<stdint.h>", "<assert.h>", "<time.h>", "<float.h>", "<stdbool.h>")
_CODE = """\
static int table_{k}[{m}];
int lookup_{k}(int key, const char *name) {{
    int hash = key;
    for (const char *at = name; *at != 0; at++) {{
        hash = 31 * hash + *at;
        if (hash < 0)
            hash = -hash;
    }}
    while (table_{k}[hash % {m}] != 0 && table_{k}[hash % {m}] != key)
        hash++;
    return table_{k}[hash % {m}] = key;
}}
"""

_FUNCTION = re.compile(r"\b(scale|sum|stencil|count|table|lookup)_(?=\d)")


def write(directory: Path, files: int, distinct: bool = False) -> None:
    """Directories of twenty files each; a header of the project's own, and system headers in many combinations."""
    (directory / "common.h").write_text("#ifndef COMMON_H\n#define COMMON_H\n#define REAL double\n#endif\n")
    for number in range(files):
        chosen = [name for bit, name in enumerate(_INCLUDES) if number % 31 >> bit % 5 & 1]
        lines = [*(f"#include {name}" for name in chosen), '#include "../common.h"']
        lines += generate.source(14 + number % 3).splitlines()
        k = 0
        while len(lines) + _CODE.count("\n") <= LINES:
            lines += _CODE.format(k=k, m=64 + number).splitlines()
            k += 1
        lines += [f"// {at}" for at in range(len(lines), LINES)]
        path = directory / f"part{number // 20:02}" / f"file{number:03}.c"
        path.parent.mkdir(exist_ok=True)
        text = "\n".join(lines) + "\n"
        path.write_text(_FUNCTION.sub(rf"\1_of_{number}_", text) if distinct else text)


def timed(command: list[str], directory: Path, environment: dict[str, str]) -> tuple[float, float, int, str]:
    """(wall seconds, processor seconds, exit code, output)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall, used, done.returncode, done.stdout + done.stderr


def main() -> int:
    parser = smallest.parser(__doc__)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--distinct", action="store_true", help="functions of its own in each file")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if arguments.smallest:
        arguments.files = 3
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name) / "src"
        directory.mkdir()
        write(directory, arguments.files, arguments.distinct)
        environment = {**os.environ, "OMPLS_CACHE_DIR": str(Path(name) / "cache")}
        check = [sys.executable, "-m", "ompls", "check", "--jobs", str(arguments.jobs), "."]
        runs = {"ompls, cold": check, "ompls, warm": check}
        compiler = next((c for c in ("clang-19", "clang", "gcc") if shutil.which(c)), None)
        if compiler is not None:
            peer = f"find . -name '*.c' -print0 | xargs -0 -n 1 -P {arguments.jobs} {compiler} -fopenmp -fsyntax-only"
            runs[compiler] = ["sh", "-c", peer]
        print(f"{arguments.files} files of {LINES} lines, {arguments.jobs} jobs{'wall s':>16}{'processor s':>13}")
        for what, command in runs.items():
            wall, used, code, output = timed(command, directory, environment)
            if code:
                print(f"{what}: exit code {code}\n{output[:2000]}", file=sys.stderr)
                return 1
            figures[what] = {"wall": round(wall, 2), "processor": round(used, 2)}
            print(f"{what:34}{wall:16.1f}{used:13.1f}")
        if compiler is not None:
            ratio = figures["ompls, warm"]["processor"] / figures[compiler]["processor"]
            print(f"{'ompls, warm / ' + compiler:34}{ratio:29.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
