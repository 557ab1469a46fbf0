"""Starts the Python processes of this package: the one place that does.

`python -m` and `python -c` put the current directory first on the import path: the `signal.py` of a project would stop
us, and an editor would run what lies in somebody else's folder.  So a process of ours is this script, started by its
absolute path, in a directory where nobody puts modules: relative entries of PYTHONPATH then mean that one, for good.
The script takes its own directory off the import path, goes to where it shall work, and runs `main` of a module of the
package that it lies in.  Its command line is: DIRECTORY MODULE ARGUMENTS.

Python 3.8, standard library only.  At first it imports what every interpreter has loaded already, no more.
"""

from __future__ import annotations

import os
import sys

NOWHERE = os.sep  # where our processes start: nobody but the administrator puts modules there
SCRIPT = os.path.abspath(__file__)


def command(module: str, *arguments: str, directory: str = NOWHERE) -> list[str]:
    """The command line of a process that runs `main` of `module`; start it with NOWHERE as its current directory.

    directory -- where it then works: an absolute path, the number of a descriptor, or "" to stay
    """
    return [sys.executable, SCRIPT, directory, module, *arguments]


def sent(text: str, here: bool) -> list[str]:
    """The command line of a process that may be on another machine, and then has nothing of ours: it runs `text`.

    Its current directory is somebody's: it comes off the import path before anything is imported.
    """
    import base64  # noqa: PLC0415 -- not before: see above
    import zlib  # noqa: PLC0415

    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()  # on one line: MPICH knows no other arguments
    begin = "import sys;sys.path[:]=[p for p in sys.path if p];import base64,zlib"
    text = "{};exec(zlib.decompress(base64.b64decode({!r})))".format(begin, packed)
    return [sys.executable if here else "python3", "-c", text]


def become(module: str, *arguments: str, directory: str = NOWHERE) -> int:
    """Replace this process by one that runs `main` of `module` in `directory`.  Does not return."""
    import signal  # noqa: PLC0415 -- not before: see above

    signal.setitimer(signal.ITIMER_REAL, 0)  # it would outlast us (awake.py), and end the other
    os.chdir(NOWHERE)
    words = command(module, *arguments, directory=directory)
    os.execv(words[0], words)  # noqa: S606 -- an argument list of our own making


def main() -> int:
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        del sys.path[0]  # this script's directory
    directory, module = sys.argv[1:3]
    if directory.isdigit():
        os.fchdir(int(directory))
        os.close(int(directory))
    elif directory:
        os.chdir(directory)
    sys.argv[:] = [module, *sys.argv[3:]]
    import importlib  # noqa: PLC0415 -- not before: see above

    package = os.path.dirname(os.path.dirname(SCRIPT))
    sys.path.insert(0, os.path.dirname(package))  # whichever other `ompls` there is, this one is meant
    importlib.import_module(os.path.basename(package))
    del sys.path[0]
    return int(importlib.import_module(module).main() or 0)


if __name__ == "__main__":
    sys.exit(main())
