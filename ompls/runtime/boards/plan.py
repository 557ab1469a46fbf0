"""A program that is built on a board by gcc and sh alone: what the tools would do here is written down as a script.

`Planned` stands in for the tool chain.  It compiles nothing: each source and its options become a line of `build.sh`,
and what the lines name becomes a file beside it.  What is not gcc's to make (code for GPUs) is made here, and sent.  A
compiler of ten years ago will do: it is not asked for C17 by name, and its warnings are no errors.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..errors import RuntimeProblem
from ..machine import Machine
from ..toolchain import RUNTIME, Compile, Toolchain
from .needed import refuse_newer

SCRIPT, PROGRAM = "build.sh", "program"
_PACKAGE = RUNTIME.parent
_HEAD = """\
# build.sh -- makes `program` of what lies beside it; $1: a directory for objects that other programs have, too.
failed=made/failed common=${1:-made/common}
mkdir -p made "$common"
rm -f "$failed"
# gcc before version 8 does not know the name, but the language.
gcc -std=gnu17 -fsyntax-only -x c /dev/null 2>/dev/null && std=-std=gnu17 || std=-std=gnu11

# make OUTPUT WORDS...: unless it is there.
make() {
    out=$1
    shift
    [ -e "$out" ] || { "$@" -o "$out.new-$$" && mv -f "$out.new-$$" "$out"; } || : >"$failed"
}
whole() {
    wait
    [ ! -e "$failed" ] || exit 1
}

"""
_AT_A_TIME = 4  # compilers: a board's cores


def _quoted(word: str) -> str:
    return "$std" if word == "-std=gnu17" else shlex.quote(word)


class CannotPlan(RuntimeProblem):
    """It needs more than gcc and sh."""


class Planned(Toolchain):
    """A tool chain whose objects and programs are names of files that `build.sh` will make.

    bundle -- the directory of the bundle, whose files go along as they are; None: there is none
    facts -- what the board is (board.sh)
    """

    def __init__(
        self, machine: Machine, bundle: Optional[Path] = None, facts: Optional[Mapping[str, str]] = None
    ) -> None:
        super().__init__(machine=machine)
        self._facts = facts or {}
        self._places = {_PACKAGE: "ompls", **({bundle: "bundle"} if bundle is not None else {})}
        self._whole = [RUNTIME / "include", *([bundle] if bundle is not None else [])]
        self._outputs = self.scratch / "planned"
        self._lines: List[str] = []
        self._files: Dict[str, bytes] = {}
        self._renamed = {str(place): name for place, name in self._places.items()}
        self._compiled: List[str] = []

    def has(self, made: Path) -> bool:
        """Or will be made."""
        return str(made) in self._renamed or super().has(made)

    def image(self, make: Callable[[Toolchain], Path]) -> Path:
        """What more than gcc is needed for is made here, and sent."""
        before = len(self._lines), len(self._compiled)
        try:
            return make(self)
        except (CannotPlan, FileNotFoundError) as error:
            if isinstance(error, FileNotFoundError) and str(error.filename) not in self._renamed:
                raise  # what is made there cannot be read here
            del self._lines[before[0] :], self._compiled[before[1] :]
        with Toolchain(machine=self.machine) as here:
            made = make(here)
            refuse_newer(made, self._facts, made.name)
            kept = self.scratch / "image-{}".format(len(self._files))
            shutil.copyfile(str(made), str(kept))
            return kept

    def ask(self, command: Sequence[str], what: str, cwd: Optional[Path] = None) -> Tuple[bytes, str]:
        """A tool runs here.  Raises CannotPlan when it is to read what is made there."""
        if any(self._renamed.get(word, "").startswith(("made/", "$common/")) for word in command):
            raise CannotPlan(what, "{} has to run on the board".format(command[0]), "choose `host` or `cuda`")
        return super().ask(command, what, cwd)

    def _out(self, name: str) -> Path:
        path = self._outputs / name.replace("/", "-").replace("$", "")
        self._renamed[str(path)] = name
        return path

    def _sent(self, path: Path) -> str:
        """What a file that is here is called there."""
        if str(path) in self._renamed:
            return self._renamed[str(path)]
        for place, name in self._places.items():
            if place in path.parents:
                there = "{}/{}".format(name, path.relative_to(place).as_posix())
                self._files[there] = path.read_bytes()
                return there
        data = path.read_bytes()
        if path.suffix in (".c", ".h", ".s"):  # of ours: it may name others
            data = os.fsencode(self._told(os.fsdecode(data)))
        there = "sent/{}{}".format(hashlib.sha256(data).hexdigest()[:16], path.suffix)
        self._files[there] = data
        self._renamed[str(path)] = there
        return there

    def _told(self, text: str) -> str:
        """With the files' names there; the longest first, as one may begin another."""
        known = sorted(self._renamed, key=len, reverse=True)
        one = "(?:{})(?![A-Za-z0-9_.-])".format("|".join(map(re.escape, known)))
        return re.sub(one, lambda found: self._renamed[found.group()], text)

    def objects(self, jobs: Sequence[Compile]) -> List[Path]:
        """In their order."""
        return [self.object(job) for job in jobs]

    def together(self, jobs: Sequence[Compile], what: str) -> List[Path]:
        """Each for itself: the board makes them side by side."""
        return self.objects(jobs)

    def object(self, job: Compile) -> Path:
        """A line of the script.  Raises CannotPlan for a language that a board need not have."""
        if job.compiler != "gcc":
            what = "compiling {} on the board".format(job.label or job.source.name)
            raise CannotPlan(what, "it needs g++ and Python 3.8 there", "install them, or choose `host` or `cuda`")
        for header in job.depends or ():
            self._sent(header)
        source = self._sent(job.source)
        words = [self._told(word) for word in job.args if word != "-Werror"]
        line = " ".join(map(_quoted, ["gcc", *words, "-c", source]))
        ours = source.startswith("ompls/")
        inputs = b"".join(self._files[self._sent(path)] for path in (job.source, *(job.depends or ()))) if ours else b""
        name = hashlib.sha256(os.fsencode(line) + inputs).hexdigest()[:16] + ".o"
        out = self._out(("$common/" if ours else "made/") + name)
        if line not in self._compiled:
            self._compiled.append(line)
            self._lines.append('make "{}" {} &'.format(self._renamed[str(out)], line))
            if len(self._compiled) % _AT_A_TIME == 0:
                self._lines.append("whole")
        return out

    def link(self, args: Sequence[str], inputs: Sequence[Path], suffix: str, what: str, compiler: str = "gcc") -> Path:
        """Another one, behind its objects."""
        out = self._out("made/{}{}".format(len(self._lines), suffix or ".program"))
        objects = " ".join('"{}"'.format(self._sent(path)) for path in inputs)
        words = " ".join(_quoted(self._told(word)) for word in args)
        self._lines += ["whole", 'make "{}" gcc {} {}'.format(self._renamed[str(out)], objects, words), "whole"]
        return out

    def script(self, program: Path) -> Dict[str, bytes]:
        """The files that the board gets, for this program: by name, with what is in the bundle and in our headers."""
        for place in self._whole:
            for path in filter(Path.is_file, sorted(place.rglob("*"))):
                self._sent(path)
        end = 'mv -f "{}" {} || exit 1\n'.format(self._sent(program), PROGRAM)
        text = _HEAD + "\n".join(self._lines) + "\n" + end
        return {**self._files, SCRIPT: os.fsencode(text)}


def planned(
    machine: Machine,
    bundle: Optional[Path],
    make: Callable[[Planned], Path],
    facts: Optional[Mapping[str, str]] = None,
) -> Dict[str, bytes]:
    """What a board gets to build what `make` makes with the tool chain.  Raises what that raises."""
    tools = Planned(machine, bundle, facts)
    with tools:
        return tools.script(make(tools))
