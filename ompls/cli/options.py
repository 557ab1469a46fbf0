"""What several subcommands have in common: the compiler's options, file names, the device option."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ompls.cli.problem import Problem, warn
from ompls.project.gcc_options import DIRECTORIES, LIBRARIES, MACROS, SYSROOT, word_of
from ompls.project.problem import EnvironmentProblem
from ompls.runtime.errors import RuntimeProblem
from ompls.runtime.folders import AUTO
from ompls.runtime.machine import ARCHITECTURES, Machine, chosen

if TYPE_CHECKING:
    from ompls.analysis.spec.devices import DeviceSpec

# gcc's options that are ours to pass on: those with a value, and how those begin that are one word.
_WITH_VALUE = (*DIRECTORIES, *MACROS, *LIBRARIES, "-include")
_PREFIXES = ("-std=", "-O", "-g", "-W", "-w", "-f", "-m", "-pthread")


def split_flags(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Separate the compiler's options from ours, both in their order.  A `--` ends the options: file names follow.

    argparse cannot do this: gcc's long options have one dash and its short ones swallow what is glued to them.
    """
    ours: list[str] = []
    flags: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            ours += [word, *(name if not name.startswith("-") else f"./{name}" for name in words)]
        elif not word.startswith("-") or (word.startswith("--") and not word.startswith(SYSROOT)):
            ours.append(word)
        elif (item := word_of(word, words)) is None:
            raise Problem(f"cannot understand the command line: {word} needs a value; see 'ompls --help'")
        elif item.option in _WITH_VALUE or item.option.startswith(SYSROOT):
            flags += item.words
        elif word.endswith((".c", ".h")):
            reason = "a file name that begins with '-' looks like an option"
            raise Problem(f"cannot read {word}: {reason}; write ./{word}")
        else:
            (flags if word.startswith(_PREFIXES) else ours).extend(item.words)
    return ours, flags


def add_files(parser: argparse.ArgumentParser, *, several: bool = True, optional: bool = False) -> None:
    what = "C source file, a directory with such, or - for stdin" if optional else "C source file"
    count = "*" if optional else "+" if several else 1
    parser.add_argument("files", metavar="FILE", nargs=count, type=_file_name, help=what)
    parser.add_argument(
        "-p",
        metavar="DIR",
        dest="database",
        type=_database,
        default=None,
        help="the directory with compile_commands.json or compile_flags.txt (default: looked for upwards of each FILE)",
    )
    parser.epilog = (
        "The compiler's options -I -D -U -l -L -O -g -W -f -m -std -include -isystem --sysroot are accepted as gcc "
        "spells them; without them they come from compile_commands.json or compile_flags.txt."
    )


def _database(word: str) -> str:
    """The directory that clang's tools call the build path; they take the file in it, too."""
    from ompls.project.flags import DATABASE, FLAGS_FILE

    directory = os.path.dirname(word) or "." if os.path.isfile(word) else word
    if not any(os.path.isfile(os.path.join(directory, name)) for name in (DATABASE, FLAGS_FILE)):
        raise argparse.ArgumentTypeError(f"there is no {DATABASE} and no {FLAGS_FILE} in {word!r}")
    return os.path.abspath(directory)


def add_device(parser: argparse.ArgumentParser, default: str | None) -> None:
    """No `default`: it is the settings' (`device` of the project file)."""
    parser.add_argument("--device", metavar="D[:N]", default=default, action=_Devices)


class _Devices(argparse.Action):
    """Its help names the devices: they are looked for when somebody reads it."""

    def __call__(self, parser: object, namespace: argparse.Namespace, values: object, option: object = None) -> None:
        setattr(namespace, self.dest, values)

    @property
    def help(self) -> str:
        from ompls.project.devices import DEFAULT, registry

        otherwise = self.default or f"the project file says, else {DEFAULT}"
        names = ", ".join((*registry().devices, AUTO))
        return f"{names}; D:N for so many of them, D,D for several (default: {otherwise})"

    @help.setter
    def help(self, text: str | None) -> None:
        """argparse has none for it."""


def add_openmp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--openmp",
        metavar="VERSION",
        help="of the specification: what is checked against it, and what _OPENMP says (default: the project file's, "
        "else 5.2)",
    )


def add_machine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target-arch",
        metavar="ARCH",
        choices=tuple(ARCHITECTURES),
        help=f"of the machine that the program is for: {', '.join(ARCHITECTURES)} (default: this machine's)",
    )
    parser.add_argument(
        "--tool-prefix",
        metavar="PREFIX",
        help="how the names of its gcc, g++ and objcopy begin, also with a directory (default: as Debian's cross "
        f"compilers, {ARCHITECTURES['aarch64'][0]} for aarch64)",
    )


def machine(architecture: str | None, prefix: str | None) -> Machine:
    """The machine that the two options name.  Raises Problem."""
    try:
        return chosen(architecture or "", prefix)
    except RuntimeProblem as error:
        raise Problem(str(error)) from error


def settings_layer(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings on the command line, without those that are None.  A wrong one is an error, not a check that
    silently checks nothing."""
    from ompls.project.layers import convert
    from ompls.project.settings import ENTRIES

    options_of = {"openmp_version": "openmp"}  # where the option's name is not the project file's
    layer = {}
    for key, value in given.items():
        if value is not None:
            layer[key], complaints = convert(ENTRIES[key], value)
            for complaint in complaints:
                if complaint.startswith("unknown rule"):
                    raise Problem(complaint)
                option = options_of.get(key, ENTRIES[key].project)
                raise Problem(f"cannot understand --{option}: {complaint}; see --help")
    return layer


def devices(text: str) -> tuple[DeviceSpec, ...]:
    """What a `--device` value names, for those that do not depend on the machine.  Raises Problem."""
    from ompls.project.devices import registry

    known = registry()
    found: EnvironmentProblem | tuple[DeviceSpec, ...]
    try:
        found = known.chosen(text)
    except EnvironmentProblem as problem:
        found = problem
    for wrong in known.problems:
        if wrong is not found:  # else it is told at once
            warn(str(wrong))
    if isinstance(found, EnvironmentProblem):
        raise Problem(str(found)) from found
    return found


def translatable(text: str) -> tuple[DeviceSpec, ...]:
    """The same for those that need kernels.  Raises Problem."""
    from ompls.project.devices import registry

    chosen = devices(text)
    for device in chosen:
        if device.planned:
            others = ", ".join(d.name for d in registry().devices.values() if not d.planned)
            raise Problem(f"cannot translate for {device.name}: {device.planned}; choose one of {others}")
    return chosen


def _file_name(name: str) -> str:
    if not name:
        raise Problem("cannot read '': a file name is empty; name a C file")
    return name
