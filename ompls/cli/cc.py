"""`ompls cc`: a C compiler with gcc's command line that offloads target regions.

Each unit with device constructs is translated, its host half compiled by gcc, and its bundle put into the object; the
link step (runtime/link.py) builds the device code of the units that are linked.  Everything else is gcc's own work.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ompls.cli import blame, bundles, lost, pipeline
from ompls.cli.ending import tidy_end
from ompls.cli.engine import NoCProblem, analyze
from ompls.cli.files import first_region
from ompls.cli.gcc_line import STDIN, GccLine, read
from ompls.cli.options import machine as machine_of
from ompls.cli.options import settings_layer
from ompls.cli.problem import Problem, read_stdin
from ompls.project.gcc_options import DIRECTORIES, MACROS, PREPROCESSOR, SYSROOT, words_of

if TYPE_CHECKING:
    from ompls.cli.engine import Unit
    from ompls.runtime.machine import Machine
    from ompls.runtime.toolchain import Toolchain
    from ompls.translate import Bundle

HELP = """usage: ompls cc [-fopenmp-targets=D[,D]] [--openmp VERSION] [--target-arch ARCH] [--tool-prefix PREFIX]
                GCC'S ARGUMENTS

A C compiler that takes gcc's command line. With -fopenmp, target regions are offloaded: each object carries the
device code of its unit, and the link builds it for the devices D (see 'ompls devices'; default: OMPLS_DEVICES, else
the first that is available). The result runs like any program. _OPENMP is that of OpenMP 5.2, unless the project file
or --openmp says otherwise. --target-arch (aarch64, armhf, x86_64) makes programs for another machine, with the
compilers whose names begin with PREFIX (for aarch64: aarch64-linux-gnu-). 'gcc --help' lists gcc's options.
"""
_ONLY_GCC = ("-E", "-M", "-MM", "-fsyntax-only")
# The options that matter to the analysis of a unit.
_MEANING = (*DIRECTORIES, *MACROS, "-include", "-std=", "-ansi", "-m", "-f", "-O", "-pthread", PREPROCESSOR, SYSROOT)


def main(arguments: Sequence[str]) -> int:
    """Do what gcc would do; its exit code."""
    from ompls.runtime.errors import BuildFailed, RuntimeProblem

    if list(arguments) in (["--help"], ["-h"]):
        print(HELP, end="")
        return 0
    line = read(arguments)
    machine = machine_of(line.architecture, line.prefix)
    try:
        with tidy_end():
            if line.asks or not any(not w.option for w in line.line) or line.stage in _ONLY_GCC:
                words = [*_version_flags(line), *line.words(), *_keeping_pragmas(line)]
                return pipeline.gcc(words, machine=machine, noted=True)
            return _Job(line, machine).run()
    except BuildFailed as error:
        sys.stderr.write(error.output)
        return error.status
    except RuntimeProblem as error:
        raise Problem(str(error), 1) from error


class _Job:
    """One command line: compile each source, then link unless it says to stop."""

    def __init__(self, line: GccLine, machine: Machine) -> None:
        self.line, self.machine = line, machine
        self.devices = line.targets or os.environ.get("OMPLS_DEVICES") or "auto"
        offload = line.offload
        if line.targets is None and offload.devices and line.openmp:
            self.devices, line.foreign_targets = ",".join(offload.devices), True
        if line.foreign_targets:
            self.devices = _what_is_there(self.devices, machine, told=not line.stage)
        if offload.architectures and line.openmp:
            os.environ.setdefault("OMPLS_CUDA_ARCH", ",".join(offload.architectures))
        # gcc's own way to say that regions stay on the host
        self.offloads = line.openmp and (line.targets is not None or offload.devices != [])

    def run(self) -> int:
        from ompls.runtime.toolchain import Toolchain

        line = self.line
        if line.targets is not None and not line.openmp and line.sources:
            reason = "-fopenmp-targets needs -fopenmp, which makes pragmas mean something"
            raise Problem(f"cannot offload {line.sources[0]}: {reason}; add -fopenmp", 1)
        if line.openmp:
            for name, language in line.foreign:
                _stays_on_the_host(name, language)
        if line.stage and line.output is not None and len(line.sources) > 1:
            raise Problem("cannot write one output: there are several source files; leave out -o, or the others", 1)
        inputs = {os.path.realpath(w.value) for w in line.line if not w.option}
        if line.output is not None and os.path.isfile(line.output) and os.path.realpath(line.output) in inputs:
            raise Problem(f"cannot write {line.output}: it is a file that is read; name another one with -o", 1)
        with (
            Toolchain(machine=self.machine) as tools,
            tools.threads(1) as self.aside,
        ):
            scratch = tools.scratch / "made"
            scratch.mkdir()
            objects: dict[str, str] = {}
            for number, source in enumerate(line.sources):
                made = self._object_name(source, scratch / str(number))
                code = self._compile(tools, source, made, scratch / f"{number}.bundle")
                if code:
                    return code
                objects[source] = made
            self.aside.shutdown()
            if not line.stage:
                return self._link(tools, objects)
            others = line.other_words()
            return pipeline.gcc(others, tools.scratch, machine=self.machine, noted=True) if others else 0

    def _object_name(self, source: str, scratch: Path) -> str:
        stem = Path(source).stem
        if not self.line.stage:
            scratch.mkdir()
            return str(scratch / "{}.o".format(stem.replace("\n", "_")))  # lists of files are read line by line
        return self.line.output or f"{stem}{'.s' if self.line.stage == '-S' else '.o'}"

    # --- one unit

    def _compile(self, tools: Toolchain, source: str, made: str, directory: Path) -> int:
        """Source to object (or assembler text); gcc's exit code."""
        stage = self.line.stage or "-c"
        words, dependencies = self.line.compile_words(source), self.line.dependency_words(source)
        file = source
        if source == STDIN:
            file, words = _read_input(tools.scratch / "stdin.c"), [*words, "-iquote", "."]
        nothing = os.path.realpath(file) == os.devnull  # so makefiles ask whether an option is known
        bundle = self._translated(file, words) if self.offloads and not nothing else None
        words = [*_version_flags(self.line, file), *words]

        def gcc(*more: str, noted: bool = True, said: IO[bytes] | None = None) -> int:
            with open(file, "rb") if source == STDIN else nullcontext() as given:
                return pipeline.gcc([*words, *more], tools.scratch, given, self.machine, noted=noted, said=said)

        if bundle is None:
            return gcc(*dependencies, stage, source, "-o", made)
        from ompls.runtime.contained import asked_for_notes
        from ompls.runtime.section import as_c, embed

        pipeline.mark_for_debuggers(bundle, words)
        if not self.line.stage and len(self.line.sources) == 1:  # else most of it is of no use, or left to others
            from ompls.runtime.link import make_ahead

            self.aside.submit(make_ahead, tools, bundle.files, self.line.link_words({}), self.devices)
        bundles.write(bundle.files, str(directory))
        host = directory / bundle.manifest["units"][0]["host"]
        host.write_bytes(_BUILT_IN.sub(rb"\1 3", host.read_bytes()))
        if stage == "-S" or _is_lto(words):
            with host.open("a", encoding="ascii") as text:
                text.write(as_c(bundle.files))
        half = [*_host_words(file, host), *_colours(words), stage, str(host), "-o", made]
        code = self._host_half(
            lambda said: gcc(*half, noted=False, said=said),
            lambda said, *more: gcc("-fopenmp", *more, "-c", source, "-o", os.devnull, noted=False, said=said),
        )
        if code == 0 and (dependencies or asked_for_notes()):
            code = gcc(*dependencies, "-E", source, "-o", os.devnull)
        if code == 0 and stage == "-c" and os.path.isfile(made):  # not /dev/null
            embed(tools, bundle.files, Path(made))
        return code

    @staticmethod
    def _host_half(compiled: Callable[[IO[bytes]], int], asked: Callable[..., int]) -> int:
        """Compile it; gcc's exit code, and its messages on stderr.  Raises Problem for a fault that is ours."""

        def told(run: Callable[..., int], *more: str) -> tuple[int, str]:
            with tempfile.TemporaryFile() as said:
                code = run(said, *more)
                said.seek(0)
                return code, said.read().decode("utf-8", "replace")

        code, said = told(compiled)
        if code == 0:
            sys.stderr.write(said)
        else:
            blame.tell(said, lambda *more: told(asked, *more))
        return code

    def _translated(self, source: str, words: Sequence[str]) -> Bundle | None:
        """The unit's bundle; None when gcc alone does all of it.  Raises Refused."""
        flags = _meaningful(words)
        try:
            unit = next(iter(analyze([source], flags, self.line.version, machine=self.machine)))
        except NoCProblem:
            return None  # gcc says it in its own words
        if not _offloads(unit) and not _is_newer_than_gcc(unit):
            lost.tell([unit])
            return None
        devices = pipeline.devices_here(self.devices, self.machine)
        # The same text compiled with other macros is another unit.
        unit.tu.identity = "\0".join((os.path.realpath(source), *flags))
        return pipeline.translated([unit], devices, words)

    # --- the program

    def _link(self, tools: Toolchain, objects: dict[str, str]) -> int:
        from ompls.runtime import link
        from ompls.runtime.build import NO_OFFLOAD, WRAP

        line = self.line
        words = line.link_words(objects)
        output = line.output or "a.out"
        if not link.carries_bundles(words):
            return pipeline.gcc([*words, "-o", output], tools.scratch, machine=self.machine, noted=True)
        static = next((w.option for w in line.line if w.option in ("-static", "-static-pie")), None)
        if static is not None:
            why = "what runs on a device is loaded when the program runs, and from libraries that are shared"
            raise Problem(f"cannot link {output} with {static}: {why}; leave it out", 1)
        if any(w.option in ("-r", "-shared") for w in line.line):
            if any(w.option == "-shared" for w in line.line):
                words = [*words, NO_OFFLOAD, *WRAP, "-o", output]
                return pipeline.gcc(words, tools.scratch, machine=self.machine)
            # gcc would put libgomp.a in, where the program is to have our core in its place…
            kept = [w for w in words if not w.startswith("-fopenmp")]
            if link.carries_lto(words):  # …and make code for LTO again, which has no bundles
                kept.append("-flinker-output=nolto-rel")
            return pipeline.gcc([*kept, NO_OFFLOAD, "-o", output], tools.scratch, machine=self.machine)
        link.link(tools, words, Path(output), self.devices)
        return 0


def _is_newer_than_gcc(unit: Unit) -> bool:
    """Whether the host's code has OpenMP that is lowered: gcc passes over directives that it does not know."""
    from ompls.translate.lowering import lower
    from ompls.translate.target import HOST

    if not unit.tu.directives and not any(item.content.directives for item in unit.tu.items):
        return False
    lowered, unable = lower(unit.tu, HOST)
    return lowered is not unit.tu or bool(unable)


def _what_is_there(devices: str, machine: Machine, told: bool) -> str:
    """The devices that a makefile names which was not written for this machine: for one that is not here another one
    that runs its kernels.  Another machine has those that are named."""
    if not machine.here:
        return devices
    from ompls.project.devices import registry
    from ompls.runtime.devices import all_devices, state_of

    others = {d.in_place_of: d.name for d in registry().devices.values() if d.in_place_of}
    names = devices.split(",")
    for k, name in enumerate(names):
        if name in others and not (state := state_of(all_devices()[name])).available:
            names[k] = others[name]
            if told:
                what = f"the regions are built for {names[k]}, a simulator: no {name} here: {state.reason}"
                print(f"ompls: {what}", file=sys.stderr)
    return ",".join(dict.fromkeys(names))


def _read_input(copy: Path) -> str:
    """Standard input as a file, which calls itself as gcc does."""
    copy.write_bytes(b'#line 1 "<stdin>"\n' + read_stdin())
    return str(copy)


_INSTEAD = {
    "Fortran": "move the region to a C function that is called through bind(C)",
    "C++": 'move the region to a .c file behind extern "C"',
}


def _stays_on_the_host(name: str, language: str) -> None:
    """Say where the first target region of a file is that is not C.  Raises Problem if it has to be offloaded."""
    line = first_region(name)
    if line is None:  # where it cannot be read gcc says why
        return
    where = f"{name}:{line}"
    why = f"target region in {language}: ompls offloads those of C only"
    instead = _INSTEAD.get(language, _INSTEAD["C++"])
    if lost.offload_is_mandatory():
        raise Problem(f"{where}: {why}, and OMP_TARGET_OFFLOAD is mandatory; {instead}", 1)
    print(f"{where}: warning: {why}: it stays on the host; {instead}", file=sys.stderr)


def _version_flags(line: GccLine, source: str = "") -> tuple[str, ...]:
    """What gcc has to be told for `_OPENMP` to be ours in the C file `source` (else in the first one that is named)."""
    if not line.openmp or (line.foreign and not source):
        return ()
    from ompls.cli.engine import Engine, Options
    from ompls.project.flags import version_flags

    layer = settings_layer({"openmp_version": line.version})
    name = source or next((w.value for w in line.line if not w.option and w.value != "-"), "-")
    return version_flags(Engine(Options((name,), (), layer)).settings(name).openmp_version)


def _keeping_pragmas(line: GccLine) -> tuple[str, ...]:
    """Where gcc 12 only obeys directives, it drops pragmas that it knows, and the regions would be lost."""
    drops = line.openmp and line.stage == "-E" and any(w.option == "-fdirectives-only" for w in line.line)
    return ("-fno-openmp", "-pthread") if drops else ()


# Where `-E -fdirectives-only` defined gcc's own macros; compiled as a system header (3), it may define them again.
_BUILT_IN = re.compile(rb'^(# \d+ "<built-in>")$', re.MULTILINE)


def _host_words(source: str, host: Path) -> list[str]:
    """How a unit's host half is compiled: as if it stood where the user's file does."""
    from ompls.runtime.build import INCLUDE, NO_OFFLOAD, OURS_ARE_SILENT

    place = os.path.dirname(source) or "."
    words = ["-fPIC", NO_OFFLOAD, OURS_ARE_SILENT, "-isystem", str(INCLUDE), "-iquote", place]
    words.append("-fno-preprocessed")  # that is the user's file, if at all
    return [*words, f"-ffile-prefix-map={host.parent}={place}", "-x", "c"]


def _colours(words: Sequence[str]) -> list[str]:
    """gcc does not see our terminal when its messages are looked at first."""
    told = any("diagnostics-color" in word or word == "-fdiagnostics-plain-output" for word in words)
    shown = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return ["-fdiagnostics-color=always"] if shown and not told else []


def _is_lto(words: Sequence[str]) -> bool:
    asked = [word for word in words if word.startswith("-flto") or word == "-fno-lto"]
    return bool(asked) and asked[-1] != "-fno-lto"


def _meaningful(words: Sequence[str]) -> list[str]:
    kept = ["-x", "c"]  # whatever the file's name and the project say
    for word in words_of(words):
        if word.option == "-imacros":
            raise Problem("cannot translate with -imacros: regions would not see its macros; use -include", 1)
        if word.option.startswith(_MEANING):
            kept += word.words
    return kept


def _offloads(unit: Unit) -> bool:
    """Whether the unit has anything of ours: device constructs, declare target variables, device routines."""
    from ompls.runtime.build import OMP_DEVICE_API

    routines = set(OMP_DEVICE_API)
    for item in unit.tu.items:
        if any("target" in s.directive.name for s in item.content.directives):
            return True
        if any(symbol.name in routines for symbol in item.content.calls):
            return True
    return any("target" in d.directive.name or d.directive.name == "declare mapper" for d in unit.tu.directives)
