"""`ompls run --gdb`: the program under gdb, set up so that a breakpoint in a region stops in its kernel.

Nothing that lies in the current directory or beside the program is loaded into gdb; the user's own ~/.gdbinit is.
docs/debugging.md says the same for people and other front ends.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from ompls.cli.problem import Problem
from ompls.project.devices import AUTO

OUR_ERROR = 125
# After the project's options, so that it is what the user asked for here that counts.
FLAGS = ("-g", "-O0")
_LOAD_NOTHING = ("set auto-load off", "set auto-load libthread-db on")  # which threads' variables need
# The device process of `cudasim` is a second inferior: the program spawns the image, which forks it and ends.  That one
# in between is let go, since gdb would stop at its end.
_SETUP = """\
set breakpoint pending on
set print thread-events off
set print inferior-events off
set print entry-values no
set schedule-multiple on
catch vfork
commands
silent
set detach-on-fork off
set follow-fork-mode parent
continue
end
catch exec
commands
silent
set follow-fork-mode child
set detach-on-fork on
continue
end
"""


def device(name: str) -> str:
    """The devices of `--device` as gdb can look into them; `auto` is the first of these.  Raises Problem."""
    from ompls.runtime.devices import able, named

    can = able("debuggable")
    if name == AUTO:
        return can[0]
    for chosen, _ in named(name):
        if chosen.name not in can:
            reason = f"gdb cannot stop in kernels of '{chosen.name}'"
            raise Problem(f"--gdb: {reason}; choose one of {', '.join(can)}", OUR_ERROR)
    return name


def command(scratch: Path) -> list[str]:
    """What stands before the program and its arguments on the command line.  Raises Problem when there is no gdb."""
    from ompls.runtime.build import CORE
    from ompls.runtime.folders import folders

    found = shutil.which("gdb")
    if found is None:
        raise Problem("cannot start gdb: it is not installed; install it: apt-get install gdb", OUR_ERROR)
    ours = (CORE, *(folder / "library" for folder in folders()[0].values()))
    setup = scratch / "setup.gdb"
    setup.write_text(_SETUP + "".join(f'skip -gfi "{path}/*"\n' for path in ours), "utf-8", "surrogateescape")
    words = [found, "-q"]
    for setting in _LOAD_NOTHING:
        words += ["-iex", setting]
    return [*words, "-x", str(setup), "--args"]
