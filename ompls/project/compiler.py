"""Runs the compiler's preprocessor over a skeleton and cuts its output into what each include gave.

It also asks the compiler what it says of a text that is no C.

The compiler is the gcc on PATH, or that of the machine that programs are for: never a program that a workspace names.
It runs with an argument list, a deadline, and limits on memory and on its output that hold for all that it starts
(runtime/contained.py).
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import ompls
from ompls.analysis.model import literals
from ompls.analysis.patterns import later
from ompls.analysis.source import HeaderUnit, Macro
from ompls.project.gcc_options import Word, has_value, words_of
from ompls.project.problem import EnvironmentProblem
from ompls.project.skeleton import MARK
from ompls.runtime.contained import Contained
from ompls.runtime.machine import HERE, Machine, path_of

DEADLINE = 10.0  # seconds
MAX_OUTPUT = 64 << 20  # bytes
MAX_MEMORY = 2 << 30  # bytes
# Our headers, of which <omp.h> has more than gcc's: programs are built with that directory.
OURS = ("-isystem", str(Path(ompls.__file__).resolve().parent / "runtime/include"))
NOWHERE = os.sep  # where it runs: an empty entry of LD_LIBRARY_PATH or COMPILER_PATH means the current directory

_DEFINE = later(r"#define ([^\s(]+)(?:\(([^)]*)\))? ?(.*)")
_HINT = "look for an include of something that is no header: a device, a pipe, generated text without end"
_LIMIT = later(r"out of memory|[\w ]+ signal terminated program")  # what it gave is not all
_OF_OPTIONS = later(r"^[^\s:<]+: error: ([^;\n]*)", re.M)  # up to what it would have one mean
_ERROR = later(r"^<stdin>:(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.M)
_MARKER = later(r'# \d+ ("(?:[^"\\]|\\.)*")')


@dataclass(slots=True)
class Preprocessed:
    """What the marks say: units and missing includes by number, headers that exist by number of the question.

    `read` are the paths of the headers that were read, `refused` the options that the compiler does not take.
    """

    predefined: tuple[Macro, ...] = ()
    units: dict[int, HeaderUnit] = field(default_factory=dict)
    missing: list[int] = field(default_factory=list)
    exists: list[int] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def find_compiler(machine: Machine = HERE) -> str:
    """The path of the machine's gcc.  Raises EnvironmentProblem."""
    gcc = machine.tool("gcc")
    found = path_of(gcc)
    if found is None:
        hint = f"{machine.where_from('gcc')} (until then headers are not known)"
        raise EnvironmentProblem("system headers", f"no {gcc} on PATH", hint)
    return found


def identity(compiler: str) -> str:
    """Changes when the compiler does."""
    try:
        status = os.stat(compiler)
    except OSError:
        return compiler
    return f"{compiler} {status.st_mtime_ns} {status.st_size}"


def preprocess(compiler: str, skeleton: str, flags: tuple[str, ...], directory: str) -> Preprocessed:
    """The result for `skeleton`, as if it stood in `directory`.  Raises EnvironmentProblem.

    `-include` is left out: the skeleton begins with what it names.
    """
    plain = [word for word in words_of(flags) if word.option != "-include"]
    asked = [compiler, "-E", "-dD", "-w", "-fopenmp"]
    end = [*OURS, "-iquote", directory, "-x", "c", "-"]
    data, said, refused = _answer(asked, plain, end, skeleton.encode("latin-1"))
    if MARK.encode() not in data:
        reason = said.strip().split("\n")[0] or "gcc gave nothing"
        raise EnvironmentProblem("system headers", reason, "check the compiler flags of the project")
    result = cut(data.decode("utf-8", "surrogateescape"))
    result.refused = refused
    return result


def errors(compiler: str, source: bytes, flags: tuple[str, ...], directory: str) -> dict[int, str]:
    """What the compiler says about lines (from 1) of `source`, as if it stood in `directory`; pragmas are passed over.
    Raises EnvironmentProblem."""
    found: dict[int, str] = {}
    end = ["-fno-openmp", *OURS, "-iquote", directory, "-x", "c", "-"]
    said = _answer([compiler, "-fsyntax-only", "-w"], list(words_of(flags)), end, source)[1]
    for line, message in _ERROR.findall(said):
        found.setdefault(int(line), message)
    if not found and " error: " in said:  # of a header, of its options, behind a #line
        raise EnvironmentProblem("syntax errors", said.strip().split("\n")[0], "compile the file to see more")
    return found


def _answer(asked: list[str], flags: list[Word], end: list[str], given: bytes) -> tuple[bytes, str, list[str]]:
    """What the compiler writes for `given`, what it says, and which flags it does not take: those are left out.

    Raises EnvironmentProblem.
    """
    refused: list[str] = []
    while True:
        data, said = _output([*asked, *(part for word in flags for part in word.words), *end], given)
        left_out = _refused(flags, "\n".join(_OF_OPTIONS.findall(said)))
        if not left_out:
            return data, said, refused
        flags = [word for word in flags if word not in left_out]
        refused += [word.option for word in left_out]


def _refused(flags: list[Word], errors: str) -> list[Word]:
    """Which flags these errors are about, by what they quote: all of it, its name, or its value.  Where they quote none
    ("CPU you selected does not support …"), those that choose the machine."""
    quoted = set(re.findall(r"'([^']+)'", errors))
    options = [word for word in flags if not has_value(word.option)] if errors else []
    about = [w for w in options if not quoted.isdisjoint((w.option, *re.findall(r"^.*?=|(?<==).+", w.option)))]
    return about or [word for word in options if word.option.startswith("-m")]


def _output(command: list[str], given: bytes) -> tuple[bytes, str]:
    """What the compiler writes for `given` on its stdin, and what it says.  Raises EnvironmentProblem."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as text:
        text.write(given)
        text.seek(0)
        try:
            with Contained(
                command,
                seconds=math.ceil(DEADLINE) + 1,  # the deadline is the one that tells why
                memory=MAX_MEMORY,
                written=MAX_OUTPUT,
                stdin=text,
                stdout=output,
                stderr=errors,
                env=_environment(),
                cwd=NOWHERE,
            ) as gcc:
                gcc.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise EnvironmentProblem("system headers", f"gcc took longer than {DEADLINE:.0f} s", _HINT) from None
        except OSError as error:
            raise EnvironmentProblem("system headers", f"gcc cannot be run: {error}", "check the compiler") from None
        output.seek(0)
        data = output.read(MAX_OUTPUT)
        errors.seek(0)
        said = errors.read(MAX_OUTPUT).decode("utf-8", "replace")
    if (limit := _LIMIT.search(said)) is not None:
        raise EnvironmentProblem("system headers", f"gcc was ended ({limit[0]})", _HINT)
    return data, said


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C"}


def cut(output: str) -> Preprocessed:
    """The parts of the output of `gcc -E -dD` between the marks."""
    result = Preprocessed()
    ops: list[Macro | str] = []
    text: list[str] = []
    read: set[str] = set()
    for line in output.split("\n"):
        if not line or line.isspace():
            continue
        if line[0] == "#":
            if line.startswith("#define "):
                macro = _macro(line)
                if macro is not None:
                    ops.append(macro)
                continue
            if line.startswith("#undef "):
                ops.append(line[7:].strip())
                continue
            match = _MARKER.match(line)
            if match:
                read.add(literals.text(match[1]) if "\\" in match[1] else match[1][1:-1])
                continue
        elif line.startswith(MARK):
            word, _, number = line[len(MARK) + 1 :].partition(" ")
            if word == "start":
                result.predefined = _settled(ops)
            elif word == "end":
                result.units[int(number)] = HeaderUnit(tuple(ops), "\n".join([*text, ""]) if text else "")
            elif word == "missing":
                result.missing.append(int(number))
            elif word == "exists":
                result.exists.append(int(number))
            ops, text = [], []
            continue
        text.append(line)
    result.read = sorted(path for path in read if path.startswith("/"))
    return result


def _macro(line: str) -> Macro | None:
    match = _DEFINE.match(line)
    if match is None:
        return None
    name, params, body = match.groups()
    names = None if params is None else tuple(p.strip() for p in params.split(",") if p.strip())
    return Macro(name, names, body)


def _settled(ops: list[Macro | str]) -> tuple[Macro, ...]:
    """The macros that are left after `ops`."""
    left: dict[str, Macro] = {}
    for op in ops:
        if isinstance(op, str):
            left.pop(op, None)
        else:
            left[op.name] = op
    return tuple(left.values())
