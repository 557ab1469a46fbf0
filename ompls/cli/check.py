"""`ompls check`: diagnostics as text, JSON, SARIF or for GitHub.

Exit code 0, or 1 with findings at or above --fail-on, or 2.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from ompls.cli import files, formats, options, output
from ompls.cli.checking import Run
from ompls.cli.engine import Engine, Options
from ompls.cli.jobs import cores
from ompls.cli.outcomes import Outcome
from ompls.cli.places import Places, shown
from ompls.cli.problem import Problem, complain, note, read_stdin, warn
from ompls.cli.terminal import Style

if TYPE_CHECKING:
    from ompls.analysis.diagnostic import Diagnostic

_RANK = {"hint": 1, "warning": 2, "error": 3, "never": 4}
STDIN = "-"


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_files(parser, optional=True)
    options.add_device(parser, None)
    options.add_openmp(parser)
    options.add_machine(parser)
    add = parser.add_argument
    add("--format", choices=("text", "json", "sarif", "github"), default="text", help="of the output")
    add("--select", action="append", metavar="RULE", help="only these rules or groups (comma list)")
    add("--ignore", action="append", metavar="RULE", help="not these rules or groups (comma list)")
    add(
        "--fail-on",
        choices=tuple(_RANK),
        default="warning",
        help="lowest severity that makes the exit code 1 (default: warning)",
    )
    add("--fix", action="store_true", help="apply the safe quick fixes")
    add("--unsafe-fixes", action="store_true", help="with --fix or --diff: those too that may change what is computed")
    add("--diff", action="store_true", help="show what --fix would change, and change nothing")
    add("--baseline", metavar="FILE", help="leave out the findings that are in FILE")
    add("--write-baseline", metavar="FILE", help="write the findings to FILE and succeed")
    add("--statistics", action="store_true", help="how many findings each rule has, instead of the findings")
    add("--show-settings", action="store_true", help="the settings of the first file, and where each comes from")
    add("--stdin-filename", metavar="FILE", help="the name of the text on stdin (FILE '-')")
    add(
        "--exclude",
        action="append",
        metavar="GLOB",
        help="leave these out of directories, too (as in the project file)",
    )
    add("--output-file", metavar="FILE", help="write the output to FILE instead of stdout")
    add("--quiet", action="store_true", help="findings and errors only: no summary, no progress")
    add("--jobs", type=_count, default=cores(), metavar="N", help="files checked at once (default: all cores)")


def run(arguments: argparse.Namespace) -> int:
    made = _prepared(arguments)
    engine = Engine(made.options)
    others: list[str] = []
    names = files.expand(made.options.files, engine, others)
    if not _settings_can_be_used(engine, names):
        return 2
    if arguments.show_settings:
        from ompls.cli import showsettings

        print(showsettings.text(engine, names[0]))
        return 0
    if arguments.write_baseline:
        output.refuse(arguments.write_baseline, map(engine.path, names))
    if arguments.output_file:
        read = [*map(engine.path, names), *(f for f in (arguments.baseline, arguments.write_baseline) if f)]
        output.refuse(arguments.output_file, read)
        output.refuse_special(arguments.output_file)
    made.check(names)
    code = _tell(made.outcomes)
    if not arguments.quiet:
        _tell_of_others(others, engine)
    if arguments.fix or arguments.diff:
        from ompls.cli import fixes

        edits, originals = made.fix(arguments.unsafe_fixes)
        more = "" if arguments.unsafe_fixes else formats.more(made.found())
        if arguments.diff:
            _write(changes := fixes.diff(originals, made.texts), sys.stdout, arguments)
            if more and not arguments.quiet:
                note(more)
            return code or int(bool(changes))
        if STDIN in made.options.aliases:
            path = engine.path(STDIN)
            sys.stdout.buffer.write(made.texts[path])
            originals.pop(path, None)
        fixes.write(originals, made.texts)
        if not arguments.quiet:
            note(f"{formats.counted(edits, 'edit')} made{more and '; '}{more}")
    found, places = made.found(), made.places()
    if arguments.write_baseline:
        from ompls.cli import baseline

        baseline.write(arguments.write_baseline, found, places)
        if not arguments.quiet:
            note(f"{formats.counted(len(found), 'finding')} written")
        return code
    shown = _show(made, found, places, arguments)
    return code or shown


def _prepared(arguments: argparse.Namespace) -> Run:
    """What the command line asks for; stdin is read here."""
    words = tuple(arguments.files) or ((STDIN,) if arguments.stdin_filename else ())
    if not words:
        raise Problem("cannot understand the command line: no FILE is named; see 'ompls check --help'")
    if arguments.statistics and arguments.format not in ("text", "json"):
        why = f"--statistics has no form for --format {arguments.format}"
        raise Problem(f"cannot understand the command line: {why}; take text or json, or leave it out")
    if arguments.unsafe_fixes and not (arguments.fix or arguments.diff):
        raise Problem("cannot understand the command line: --unsafe-fixes alone fixes nothing; add --fix or --diff")
    aliases = {STDIN: arguments.stdin_filename or "stdin.c"} if STDIN in words else {}
    asked = Options(
        words,
        tuple(arguments.flags),
        _layer(arguments),
        aliases,
        tuple(arguments.exclude or ()),
        arguments.database,
        options.machine(arguments.target_arch, arguments.tool_prefix),
    )
    made = Run(asked, arguments.jobs, quiet=arguments.quiet)
    for name in aliases.values():
        made.texts[os.path.abspath(name)] = _stdin(name)
    return made


def _stdin(name: str) -> bytes:
    from ompls.project.files import checked
    from ompls.project.problem import FileProblem

    try:
        return checked(name, read_stdin())
    except FileProblem as error:
        raise Problem(f"cannot read {name}: {error.reason}; {error.hint}") from error


def _layer(arguments: argparse.Namespace) -> dict[str, Any]:
    return options.settings_layer(
        {
            "openmp_version": arguments.openmp,
            "diagnostics.select": _names(arguments.select),
            "diagnostics.ignore": _names(arguments.ignore),
            "preview.device": _devices(arguments.device),
        }
    )


def _devices(text: str | None) -> str | None:
    return text and ",".join(device.name for device in options.devices(text))


def _names(words: list[str] | None) -> list[str] | None:
    return None if words is None else [name for word in words for name in word.split(",") if name]


def _settings_can_be_used(engine: Engine, names: Sequence[str]) -> bool:
    """Says everything that is wrong in the project files."""
    projects = {p.path: p for name in names if (p := engine.project(name)) is not None}
    problems = [problem for project in projects.values() for problem in project.problems]
    for problem in problems:
        complain(Problem(f"cannot use {problem}"))
    return not problems


def _tell(outcomes: Sequence[Outcome]) -> int:
    """Warnings and failures on stderr, each once; the exit code so far."""
    for warning in dict.fromkeys(w for outcome in outcomes for w in outcome.warnings):
        warn(warning)
    failures = [outcome.failure for outcome in outcomes if outcome.failure]
    for failure in failures:
        complain(Problem(failure))
    return 2 if failures else 0


def _tell_of_others(others: Sequence[str], engine: Engine) -> None:
    """Silence about the regions of C++ and Fortran is no result."""
    unread = [path for path in others if files.first_region(path) is not None]
    if not unread:
        return
    languages = " and ".join(sorted(set(map(engine.language, unread))))
    which = shown(unread[0]) if len(unread) == 1 else f"{len(unread)} files with target regions ({shown(unread[0])}, …)"
    verb = "is" if len(unread) == 1 else "are"
    silence = "Nothing was checked there, so silence does not mean that it is correct"
    note(f"{which} {verb} {languages}; ompls understands C. {silence}")


def _show(made: Run, found: list[Diagnostic], places: Places, arguments: argparse.Namespace) -> int:
    unchanged: set[Diagnostic] | None = None
    if arguments.baseline:
        from ompls.cli import baseline

        unchanged = baseline.known(arguments.baseline, found, places)
    new = [d for d in found if not unchanged or d not in unchanged]
    stream = sys.stderr if STDIN in made.options.aliases and arguments.fix else sys.stdout
    if arguments.statistics:
        text = formats.statistics(new, arguments.format == "json")
    elif arguments.format == "json":
        text = json.dumps(formats.as_json(new, places), indent=2)
    elif arguments.format == "sarif":
        from ompls.cli import sarif

        failures = [outcome.failure for outcome in made.outcomes if outcome.failure]
        log = sarif.log(found, places, suppressed=made.suppressed(), unchanged=unchanged, failures=failures)
        text = json.dumps(log, indent=2)
    elif arguments.format == "github":
        from ompls.cli import github

        text = "\n".join(github.commands(new, places))
    else:
        style = Style(stream, plain=bool(arguments.output_file))
        text = "\n".join(formats.text(diagnostic, places, style) for diagnostic in new)
    _write(text and text + "\n", stream, arguments)
    checked = sum(not outcome.failure for outcome in made.outcomes)
    if checked and not (arguments.quiet or arguments.statistics or arguments.format in ("json", "sarif")):
        stream.flush()  # where nobody reads, nobody is told how much it was
        note(formats.summary(new, checked, fixed=arguments.fix))
    threshold = _RANK[arguments.fail_on]
    return 1 if any(_RANK[diagnostic.severity] >= threshold for diagnostic in new) else 0


def _write(text: str, stream: TextIO, arguments: argparse.Namespace) -> None:
    if arguments.output_file:
        output.write(arguments.output_file, text)
    else:
        stream.write(text)


def _count(word: str) -> int:
    if not (word.isdecimal() and int(word)):
        raise argparse.ArgumentTypeError(f"'{word}' is not a number of files")
    return int(word)
