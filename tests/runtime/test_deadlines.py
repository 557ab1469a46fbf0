"""Documentation names every deadline: a table of the constants of the run time and of devices that are seconds."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Where they stand: a page, and how its row begins.
WAITS = {
    "runtime/awake.py SECONDS": "cli: until a Ctrl-C or SIGTERM is seen",
    "runtime/boards/call.py ANSWER": "remote: for a shell of the board to begin",
    "runtime/boards/signs.py SILENCE": "remote: for a sign of life, while",
    "runtime/boards/ssh.py LOGIN": "remote: for the login",
    "runtime/boards/ssh.py PARTING": "remote: for the board to end what is left",
    "runtime/contained.py GRACE": "cli: for a compiler that is ended",
    "runtime/launcher.py GRACE": "cli: for the program to follow a SIGTERM",
    "runtime/processes.py SECONDS": "cli: for all that a program has started",
    "runtime/toolchain.py SECONDS": "cli: for a compiler |",
    "devices/mpinode/module/cluster.py _SOON": "devices: for all launchers to end",
    "devices/mpinode/module/joined.py _LATER": "devices: for a machine that answers",
    "devices/remote/left.py _GRACE": "devices: for all launchers to end",
    "devices/remote/near.py SECONDS": "devices: `OMPLS_REMOTE_TIMEOUT`",
    "devices/remote/streams.py _GRACE": "remote: for the far side of regions to end",
}
# How often something is looked at, and how old a file is.
OTHERS = {
    "runtime/boards/signs.py BEAT",
    "runtime/boards/ssh.py _LOOK",
    "runtime/cache.py RECENT",
    "runtime/scratch.py YOUNG",
    "devices/mpinode/module/cluster.py _LOOK",
    "devices/mpinode/module/cluster.py _ON_ITS_WAY",  # half of the 0.2 s in which a node's end is told
    "devices/mpinode/module/joined.py _LOOK",
    "devices/mpinode/module/spawned.py _LOOK",
}


def seconds() -> dict[str, float]:
    """The constants that are seconds: by their names, or by what stands beside them."""
    found: dict[str, float] = {}
    for path in (*ROOT.glob("ompls/runtime/**/*.py"), *ROOT.glob("ompls/devices/**/*.py")):
        for name, value, rest in re.findall(r"^(\w+) = ([0-9.]+)\b(.*)$", path.read_text(), re.MULTILINE):
            if "SECONDS" in name or re.search(r"# .*\bseconds\b", rest):
                found[f"{path.relative_to(ROOT / 'ompls')} {name}"] = float(value)
    return found


def test_documentation_names_every_deadline() -> None:
    found = seconds()
    assert set(found) == {*WAITS, *OTHERS}
    for constant, where in WAITS.items():
        page, _, begins = where.partition(": ")
        text = (ROOT / f"docs/{page}.md").read_text()
        (row,) = [line for line in text.splitlines() if line.startswith(f"| {begins}")]
        assert re.search(rf"\b{found[constant]:g} s\b|\({found[constant]:g}\)", row), constant
