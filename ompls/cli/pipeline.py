"""From units to a bundle to a program: what `run`, `translate` and the conformance runner do one after the other."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, TypeVar

from ompls.cli import bundles, formats, lost
from ompls.cli.places import Places, shown
from ompls.cli.problem import Problem, Refused, Untranslatable
from ompls.project.gcc_options import LIBRARIES, SYSROOT, words_of
from ompls.runtime.machine import HERE, Machine

if TYPE_CHECKING:
    from ompls.analysis.diagnostic import Diagnostic
    from ompls.analysis.spec.devices import DeviceSpec
    from ompls.cli.engine import Unit
    from ompls.runtime.build import Built
    from ompls.translate import Bundle
    from ompls.translate.classes import Targets


class _Made(Protocol):
    """What the translator makes; with diagnostics there is nothing else in it."""

    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...


_M = TypeVar("_M", bound=_Made)


_OTHER_LAYOUT = ("-fpack-struct", "-mms-bitfields", "-malign-double")
_OTHER_TYPES = ("-fshort-enums", "-fshort-wchar", "-funsigned-char", "-fno-signed-char", "-funsigned-bitfields")


def translated(units: Sequence[Unit], devices: Sequence[DeviceSpec], flags: Sequence[str], version: str = "") -> Bundle:
    """The bundle of the units for these devices, compiled with these options.  Raises Refused, as `admit` does.

    version -- of OpenMP that the compiler has, where it is older than gcc 12: "4.5"
    """
    admit(units, flags)
    return made(units, flags, partial(_translate, units, devices, flags, version), devices)


def _translate(units: Sequence[Unit], devices: Sequence[DeviceSpec], flags: Sequence[str], version: str) -> Bundle:
    from ompls.project.targets import targets
    from ompls.translate import translate

    made_for = targets(devices)
    for unit in units:
        if any(item.content.directives for item in unit.tu.items):
            _refuse_other_types((*unit.flags, *flags), devices, made_for)
    return translate([unit.tu for unit in units], devices, made_for, version)


def translated_for_any(
    units: Sequence[Unit], devices: Iterable[DeviceSpec], flags: Sequence[str]
) -> tuple[Bundle, DeviceSpec, list[tuple[str, str]]]:
    """The bundle for the first of these devices that can run the program, and each one before it with why it cannot.

    Raises Refused where none can: stderr has what the last one, the host as a rule, says.
    """
    admit(units, flags)
    passed: list[tuple[str, str]] = []
    for device in devices:  # the next one is looked for only where it is needed
        made_for = _attempted_for(device, units, flags)
        if not isinstance(made_for, str):
            return made_for, device, passed
        passed.append((device.name, made_for))
    return made(units, flags, partial(_translate, units, (device,), flags, ""), (device,)), device, passed


def can_run(device: DeviceSpec, units: Sequence[Unit], flags: Sequence[str]) -> bool:
    """Whether the translator takes units, which were admitted, for this device."""
    return not isinstance(_attempted_for(device, units, flags), str)


def _attempted_for(device: DeviceSpec, units: Sequence[Unit], flags: Sequence[str]) -> Bundle | str:
    """The bundle, or why there is none: the first thing that is in the way."""
    try:
        bundle = _attempted(partial(_translate, units, (device,), flags, ""), (device,))
    except Problem as problem:
        return str(problem)
    if not bundle.diagnostics:
        return bundle
    first = bundle.diagnostics[0]
    return f"{shown(first.where.path)}:{Places(units).range(first.where).start_line}: {first.message}"


def _refuse_other_types(flags: Sequence[str], devices: Sequence[DeviceSpec], targets: Targets) -> None:
    """Options that make other types of C's: what the runtime shares with a program has to be laid out as it is there,
    and who compiles CUDA C++ does not have them.  Raises Problem."""
    from ompls.translate.classes import NotTranslatedError, classes_of

    asked = next((flag for flag in flags if flag.startswith(_OTHER_LAYOUT)), None)
    if asked is not None:
        why = "the descriptions that the program gives to the runtime would be laid out otherwise"
        raise Problem(f"cannot offload with {asked}: {why}; pack the structures that need it by an attribute")
    asked = next((flag for flag in flags if flag in _OTHER_TYPES), None)
    if asked is None:
        return
    for device in devices:
        try:
            (kernels,) = classes_of([device], targets)
        except NotTranslatedError:
            continue  # the translator says it
        if not kernels.openmp:
            why = "its compiler has no such option, and its types would not be the program's"
            raise Problem(
                f"cannot translate for {device.name} with {asked}: {why}; use the device host, or leave it out"
            )


def admit(units: Sequence[Unit], flags: Sequence[str]) -> None:
    """Say on stderr what compilers pass over in the units, and what gcc does not take as C.

    Only what we doubt is shown to gcc, and before anything of ours is said of it.  Raises Refused when that is the end.
    """
    lost.tell(units)
    refuse_no_c(filter(_is_doubtful, units), flags)


def made(units: Sequence[Unit], flags: Sequence[str], make: Callable[[], _M], devices: Iterable[DeviceSpec]) -> _M:
    """What the translator makes of units that were admitted.

    Raises Refused when it cannot, and stderr has the reasons; of what is no C, gcc's.
    """
    result = _attempted(make, devices)
    if result.diagnostics:
        refuse_no_c((unit for unit in units if not _is_doubtful(unit)), flags)
        told = [d for k, d in enumerate(result.diagnostics) if d not in result.diagnostics[:k]]  # of one clause, maybe
        formats.show(told, Places(units))
        raise Untranslatable(result.diagnostics[0].message)
    return result


def _attempted(make: Callable[[], _M], devices: Iterable[DeviceSpec]) -> _M:
    """What the translator makes, perhaps only diagnostics.  Raises Problem."""
    from ompls.project.problem import EnvironmentProblem
    from ompls.project.targets import fault
    from ompls.translate import NotTranslatedError, TargetFault

    try:
        return make()
    except EnvironmentProblem as error:
        raise Problem(str(error)) from error
    except TargetFault as error:
        device = next(d for d in devices if d.target == error.name)
        raise Problem(str(fault(device, error.__cause__ or error))) from error
    except NotTranslatedError as error:
        raise Problem(f"cannot translate for {error.device.name}: {error.reason}; see 'ompls devices'") from error


def mark_for_debuggers(bundle: Bundle, flags: Sequence[str]) -> None:
    """With -g, note in the bundle what kernels need so that a debugger shows the user's lines."""
    from ompls.runtime.toolchain import debug_flags
    from ompls.translate.bundle import for_debuggers

    if asked := debug_flags(flags):
        for_debuggers(bundle, asked, os.getcwd())


def _is_doubtful(unit: Unit) -> bool:
    """Whether there is something in the unit that the parser did not understand, or that nothing declares."""
    tu = unit.tu
    if any(note.kind == "parse" for note in tu.notes):
        return True
    found = (item.content for item in tu.items if tu.declarations_known)
    return any(content.undeclared or content.unknown_members for content in found)


def refuse_no_c(units: Iterable[Unit], flags: Sequence[str]) -> None:
    """Raises Refused for what gcc does not take as C, which it has said then."""
    if any(_is_no_c(unit, flags) for unit in units):
        raise Refused("gcc does not take it as C")


def _is_no_c(unit: Unit, flags: Sequence[str]) -> bool:
    return _on_original(unit, flags, "-fno-openmp", "-fsyntax-only", "-w") != 0


def _on_original(unit: Unit, flags: Sequence[str], *more: str, said: IO[bytes] | None = None) -> int:
    """gcc on the user's own file; its exit code."""
    from ompls.analysis.notes import without_variants
    from ompls.analysis.syntax.quoted import line_directive
    from ompls.runtime.build import INCLUDE

    words = ["-isystem", str(INCLUDE), *unit.version_flags, *unit.flags, *flags, *more]
    text = without_variants(unit.tu)
    if text == unit.tu.source:
        return gcc([*words, "-x", "c", unit.name], machine=unit.machine, said=said)
    with tempfile.TemporaryFile() as given:
        given.write(line_directive(1, unit.name).encode() + text)
        given.seek(0)
        words += ["-iquote", os.path.dirname(unit.name) or ".", "-x", "c", "-"]
        return gcc(words, given=given, machine=unit.machine, said=said)


def gcc(
    words: Sequence[str],
    temporary: Path | None = None,
    given: IO[bytes] | None = None,
    machine: Machine = HERE,
    *,
    noted: bool = False,
    said: IO[bytes] | None = None,
) -> int:
    """Run the machine's gcc with our streams; its exit code.  Raises Problem when there is none.

    temporary -- where it has its temporary files: what it leaves when it is killed goes with the directory
    given -- what it reads on its stdin; None: ours
    noted -- see Contained
    said -- where its messages go; None: our stderr
    """
    from ompls.runtime.contained import Contained

    env = None if temporary is None else {**os.environ, "TMPDIR": str(temporary)}
    try:
        with Contained([machine.tool("gcc"), *words], noted=noted, env=env, stdin=given, stderr=said) as compiler:
            return compiler.wait()
    except OSError as error:
        why = error.strerror or str(error)
        raise Problem(f"cannot run {machine.tool('gcc')}: {why}; {machine.where_from('gcc')}", 1) from error


def devices_here(spec: str, machine: Machine | None = None) -> tuple[DeviceSpec, ...]:
    """The devices of a `--device` text of `run`, each once; `auto` is what this machine has.

    machine -- it is enough that programs for it can be built here that use them; None: they run here

    Raises Problem for what is none or has no kernels, and RuntimeProblem for what cannot be used here.
    """
    from ompls.cli.options import translatable
    from ompls.project.devices import AUTO, registry
    from ompls.runtime.devices import choose

    if spec != AUTO:
        translatable(spec)
    names = dict.fromkeys(device.name for device, _ in choose(spec, machine))
    return tuple(registry().one(name) for name in names)


def usable_here() -> Iterator[DeviceSpec]:
    """What `auto` chooses among, the preferred one first.  Raises RuntimeProblem where there is none."""
    from ompls.project.devices import registry
    from ompls.runtime.devices import usable

    return (registry().one(device.name) for device in usable())


def build(
    bundle: Bundle,
    scratch: Path,
    spec: str,
    flags: Sequence[str],
    output: Path | None = None,
    *,
    units: Sequence[Unit] = (),
    machine: Machine = HERE,
    facts: Mapping[str, str] | None = None,
) -> Built:
    """Build the bundle in the private directory `scratch`.  Raises Problem; a compiler's own words go to stderr.

    units -- what it was made of
    facts -- the machine's, when it is a board without Python
    """
    from ompls.runtime.build import build as build_bundle
    from ompls.runtime.errors import RuntimeProblem

    directory = scratch / "bundle"
    bundles.write(bundle.files, str(directory))
    cflags, ldflags = split_link_flags(flags)
    try:
        with compilers_words(units, flags):
            return build_bundle(directory, spec, output, cflags, ldflags, machine=machine, facts=facts)
    except RuntimeProblem as error:
        raise Problem(str(error)) from error


def plan(
    bundle: Bundle, scratch: Path, spec: str, flags: Sequence[str], *, machine: Machine, facts: Mapping[str, str]
) -> dict[str, bytes]:
    """The files with which a board without Python builds the bundle.  Raises Problem, RuntimeProblem, CannotPlan."""
    from ompls.runtime.boards.plan import planned
    from ompls.runtime.build import assembled
    from ompls.runtime.bundle import read_bundle
    from ompls.runtime.devices import choose

    directory = scratch / "planned"
    bundles.write(bundle.files, str(directory))
    cflags, ldflags = split_link_flags(flags)
    devices = list({device.name: device for device, _ in choose(spec, machine, facts)}.values())
    with compilers_words((), flags):
        return planned(
            machine, directory, lambda t: assembled(t, read_bundle(directory), devices, cflags, ldflags), facts
        )


@contextmanager
def compilers_words(units: Sequence[Unit], flags: Sequence[str]) -> Iterator[None]:
    """What a compiler said of the user's text goes to stderr, then it is a Problem; what it said of ours is one."""
    from ompls.cli import blame
    from ompls.runtime.errors import BuildFailed, HostRefused

    try:
        yield
    except HostRefused as error:
        unit = next((unit for unit in units if unit.tu.path == error.source), None)
        if unit is None:
            sys.stderr.write(error.output)
        else:
            blame.tell(error.output, partial(asked, unit, flags))
        raise Problem(str(error)) from error
    except BuildFailed as error:
        sys.stderr.write(error.output)
        raise Problem(str(error)) from error


def asked(unit: Unit, flags: Sequence[str], *more: str) -> tuple[int, str]:
    """What gcc says of the user's own file, with OpenMP and these words: its exit code and its messages."""
    with tempfile.TemporaryFile() as said:
        code = _on_original(unit, flags, "-fopenmp", *more, "-c", "-o", os.devnull, said=said)
        said.seek(0)
        return code, said.read().decode("utf-8", "replace")


def split_link_flags(flags: Sequence[str]) -> tuple[list[str], list[str]]:
    """The options for compiling and those for linking, in their order."""
    compile_flags: list[str] = []
    link_flags: list[str] = []
    for word in words_of(flags):
        (link_flags if word.option in LIBRARIES or word.option.startswith("-Wl,") else compile_flags).extend(word.words)
        if word.option.startswith(SYSROOT):
            link_flags += word.words
    return compile_flags, link_flags


def launch(
    built: Built,
    arguments: Sequence[str],
    *,
    timeout: float | None = None,
    record: Path | None = None,
    content: bool = False,
    values: int = 0,
    debugger: Sequence[str] = (),
) -> int:
    """Run the program with our streams; its exit code, 128+signal, or 124 over `timeout` seconds.

    record -- where its trace goes, which tells apart what is copied where `content` is asked for
    values -- how many bytes of each item the trace keeps
    debugger -- a command line that the program's is added to: what ends is this one
    """
    from ompls.runtime import launcher

    environment = launcher.environment(built, trace=record, content=content, values=values)
    return launcher.run(built, list(arguments), timeout, environment, debugger)


def launch_captured(built: Built, *, timeout: float, record: Path) -> tuple[int, str]:
    """Run the program without input; its exit code and what it wrote, 124 when it ran over `timeout` seconds."""
    from ompls.runtime import launcher

    child = subprocess.Popen(
        launcher.command(built),
        env=launcher.environment(built, trace=record),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=timeout)
        return child.returncode, output
    except subprocess.TimeoutExpired:
        return 124, f"still running after {timeout:g} s"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
