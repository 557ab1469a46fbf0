"""The table of known functions: it fits what the headers declare, and there is no other one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ompls
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.ctype import CType, Function, Pointer, Record
from ompls.analysis.source import Settings
from ompls.analysis.spec.known import KNOWN, Known
from ompls.project.workspace import Workspace

HEADERS = """
#define _GNU_SOURCE
#include <complex.h>
#include <err.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
"""


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Function]:
    folder = tmp_path_factory.mktemp("known")
    path, text = str(folder / "x.c"), (HEADERS + "int x;\n").encode()
    workspace = Workspace([str(folder)], ("-fopenmp",))
    tu = Analyzer().analyze(path, text, workspace.snapshot(path, text, workspace.flags(path)), Settings())
    symbols = {name: tu.symbols.get(name) for name in KNOWN}
    return {name: s.type for name, s in symbols.items() if s is not None and isinstance(s.type, Function)}


def _unlike(row: Known, function: Function) -> str:
    """How a row and a prototype disagree."""
    touched = {a.at: "read" for a in row.reads} | {a.at: "written" for a in row.writes}
    if row.frees is not None:
        touched[row.frees] = "written"
    for at, what in touched.items():
        if at >= len(function.params) or not isinstance(param := function.params[at], Pointer):
            return f"argument {at} is no pointer"
        if what == "written" and "const" in param.to.quals:
            return f"argument {at} points to what is const"
    for arg in (*row.reads, *row.writes):
        for at in (*arg.size, *[n for n in (arg.behind, arg.device) if n is not None]):
            if at >= len(function.params) or isinstance(function.params[at], Pointer):
                return f"argument {at} is no number"
    for at in row.allocates.size if row.allocates is not None else ():
        if at >= len(function.params) or isinstance(function.params[at], Pointer):
            return f"argument {at} is no number"
    if row.rest and not function.variadic:
        return "it has no arguments behind the format"
    return ""


def test_rows_fit_the_prototypes(declared: dict[str, Function]) -> None:
    assert len(declared) > 250
    wrong = {name: why for name, function in declared.items() if (why := _unlike(KNOWN[name], function))}
    assert wrong == {}


def _is_data(param: CType) -> bool:
    """Whether a function may write what a parameter points to: neither a stream, nor arguments, nor a function."""
    if not isinstance(param, Pointer) or isinstance(param.to, Function) or "const" in param.to.quals:
        return False
    return not (isinstance(param.to, Record) and param.to.tag in ("_IO_FILE", "__va_list_tag"))


def test_what_may_be_written_is_said(declared: dict[str, Function]) -> None:
    silent = set()
    for name, function in declared.items():
        row = KNOWN[name]
        said = {a.at for a in (*row.reads, *row.writes)} | {row.frees}
        said |= {row.allocates.into} if row.allocates is not None else set()
        data = {at for at, param in enumerate(function.params) if _is_data(param)}
        if not row.meets and data - said:  # what threads meet by is no data
            silent.add(name)
    # an address that is only asked for, a time zone that nobody fills in, and a list of dependences
    assert silent == {"mmap", "gettimeofday", "omp_target_memcpy_async"}


# Words of English or of Python that are functions' names, too.
WORDS = frozenset(
    """
assert clock close div error exit fork free getline kill open raise random read recv remove rename send signal stat
system time unlink wait write
""".split()  # noqa: SIM905 - a table of words
)
# What says more than what a function does: gcc's built-in functions with their types, an ability that is called so, and
# how the translator spells some.
PLACES = {
    "ompls/analysis/spec/known.py",
    "ompls/analysis/model/builtins.py",
    "ompls/analysis/spec/devices/abilities.py",
    "ompls/analysis/dataenv/abilities.py",
    "ompls/translate/transformations/gpu/calls.py",
    "ompls/translate/transformations/gpu/gnu.py",
}


def _named(path: Path) -> Iterator[str]:
    """Functions of the C library that a module names in literals which hold nothing else."""
    for node in ast.walk(ast.parse(path.read_text())):
        text = node.value if isinstance(node, ast.Constant) else None
        text = text.decode("latin-1") if isinstance(text, bytes) else text
        names = text.split() if isinstance(text, str) else []
        if names and all(name in KNOWN and not name.startswith("omp_") for name in names):
            yield from set(names) - WORDS


def test_there_is_no_other_table() -> None:
    root = Path(ompls.__file__).parent
    files = [path for layer in ("analysis", "translate") for path in sorted((root / layer).rglob("*.py"))]
    found = {str(path.relative_to(root.parent)): sorted(_named(path)) for path in files}
    assert {name: names for name, names in found.items() if names and name not in PLACES} == {}
    assert all(found[name] for name in PLACES)
