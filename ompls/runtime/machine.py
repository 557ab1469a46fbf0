"""The machine that programs are built for: this one, or another one, whose tools begin with a prefix.

Everything that compiles asks a `Machine` how its gcc is called: the tool chain, the devices, and who takes header
snapshots, so that what is analysed is what is compiled.  Of another machine nothing is guessed from this one.
"""

from __future__ import annotations

import math
import os
import re
from typing import NamedTuple, Optional

from .errors import RuntimeProblem, ToolMissing, one_line

# How the tools of Debian's cross compilers begin, and the compilers' own name of what they make code for.
ARCHITECTURES = {
    "aarch64": ("aarch64-linux-gnu-", re.compile(r"aarch64-")),
    "armhf": ("arm-linux-gnueabihf-", re.compile(r"arm")),
    "x86_64": ("x86_64-linux-gnu-", re.compile(r"x86_64-")),
}
_SAME = {"armv7l": "armhf", "armv8l": "armhf", "arm64": "aarch64", "amd64": "x86_64"}  # as the kernel says it
# For a compiler to say what it makes code for: seconds, bytes of memory, and of what it writes.
_SECONDS, _MEMORY, _LONGEST = 10.0, 2 << 30, 1 << 16


class Machine(NamedTuple):
    """An architecture (of ARCHITECTURES, or this machine's), and how the names of its tools begin."""

    architecture: str
    prefix: str = ""

    @property
    def here(self) -> bool:
        """Whether what is built for it runs on this machine."""
        return self.architecture == HERE.architecture

    def tool(self, name: str) -> str:
        """Its gcc, g++, objcopy…"""
        return self.prefix + name

    def where_from(self, name: str) -> str:
        """What to do when its gcc, g++ or objcopy is missing."""
        if not self.prefix:
            return "install it: apt-get install build-essential"
        if self.prefix not in [prefix for prefix, _ in ARCHITECTURES.values()]:
            return "correct --tool-prefix"
        triple = self.prefix[:-1].replace("_", "-")
        return "install it: apt-get install {}-{}".format("g++" if name == "g++" else "gcc", triple)


def architecture_of(name: str) -> str:
    """As we call it what the kernel calls so (`uname -m`)."""
    return _SAME.get(name, name)


HERE = Machine(architecture_of(os.uname().machine))


def path_of(tool: str) -> Optional[str]:
    """Where a tool is; None when it is nowhere.

    A relative entry of PATH would let the directory that we are in choose the program: it is left out.
    """
    import shutil  # noqa: PLC0415 -- every command imports this file

    absolute = [d for d in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(d)]
    return shutil.which(tool, path=os.pathsep.join(absolute))


# A compiler's file that is of one version, as distributions call it: /usr/bin/x86_64-linux-gnu-gcc-12.
_OF_ONE_VERSION = re.compile(r"(?:gcc|g\+\+)-\d+(?:\.\d+)*\Z")


def installed(tool: str) -> str:
    """Path, size and time of the compiler's own file, which change when it does; "" where that is not certain.

    Links are followed, as those of update-alternatives.  A script, and a program of another name (a compiler cache, a
    wrapper that chooses), may start another compiler tomorrow: it is asked.
    """
    path = os.path.realpath(tool)
    if _OF_ONE_VERSION.search(path) is None:
        return ""
    try:
        with open(path, "rb") as file:
            state = os.fstat(file.fileno())
            return "{} {} {}\n".format(path, state.st_size, state.st_mtime_ns) if file.read(4) == b"\x7fELF" else ""
    except OSError:
        return ""


def chosen(architecture: str = "", prefix: Optional[str] = None) -> Machine:
    """The machine that two options name.

    architecture -- '': this machine's
    prefix -- None: none for this machine, else that of Debian's cross compiler; with a directory it means from here

    Raises RuntimeProblem for what is none, and when the compiler is missing or makes code for something else.
    """
    if architecture and architecture not in (*ARCHITECTURES, HERE.architecture):
        known = ", ".join(ARCHITECTURES)
        raise RuntimeProblem("--target-arch", "no architecture '{}' is known".format(architecture), "choose " + known)
    architecture = architecture or HERE.architecture
    if prefix is None:
        prefix = "" if architecture == HERE.architecture else ARCHITECTURES[architecture][0]
    if prefix.startswith("-"):
        why = "'{}' begins with '-', as options do".format(prefix)
        raise RuntimeProblem("--tool-prefix", why, "write ./{} for a file of this directory".format(prefix))
    machine = Machine(architecture, _from_here(prefix) if "/" in prefix else prefix)
    if machine != HERE:
        _refuse_wrong(machine)
    return machine


def _from_here(prefix: str) -> str:
    """The absolute one.  A directory's keeps its slash: the names of tools are what follows."""
    directory, beginning = os.path.split(prefix)
    return os.path.join(os.path.abspath(directory), beginning)


def _refuse_wrong(machine: Machine) -> None:
    """Ask the compiler, before anything is made with it."""
    gcc = machine.tool("gcc")
    found = path_of(gcc)
    if found is None:
        raise ToolMissing(gcc, "there is no such compiler", machine.where_from("gcc"))
    triple = _target_of(gcc, found)
    _, expected = ARCHITECTURES.get(machine.architecture, ("", re.compile(re.escape(machine.architecture))))
    if not expected.match(triple):
        why = "it makes code for {}, not for {}".format(
            one_line(triple)[:60] or "no machine that it names", machine.architecture
        )
        raise RuntimeProblem(gcc, why, "correct --tool-prefix or --target-arch")


def _target_of(gcc: str, path: str) -> str:
    """The first line of what a compiler says.  Into a file: a pipe may be kept open by what it leaves behind."""
    import subprocess  # noqa: PLC0415 -- every command imports this file
    import tempfile  # noqa: PLC0415 -- as above

    from .contained import Contained  # noqa: PLC0415 -- as above

    with tempfile.TemporaryFile() as said:
        try:
            with Contained(
                [path, "-dumpmachine"],
                seconds=math.ceil(_SECONDS) + 1,
                memory=_MEMORY,
                written=_LONGEST,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.DEVNULL,
            ) as running:
                running.wait(_SECONDS)
        except subprocess.TimeoutExpired as error:
            why = "it took longer than {:.0f} s to say what it makes code for".format(_SECONDS)
            raise ToolMissing(gcc, why, "check its installation") from error
        except OSError as error:
            raise ToolMissing(gcc, str(error), "check its installation") from error
        said.seek(0)
        return said.readline(_LONGEST).decode("utf-8", "replace").strip()
