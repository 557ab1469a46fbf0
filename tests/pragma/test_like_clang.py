"""The tables of directives and clauses beside clang 19's, pair by pair; what differs is written down with its reason.

Only the parser's two verdicts are compared: that a directive does not take a clause, and that it takes it once.  Needs
clang-19 (5.2 is what it knows best).
"""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import check
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.analysis.spec import CLAUSES, DIRECTIVES
from ompls.analysis.spec.versions import CLAUSE_ON, is_newer
from ompls.analysis.text import LineIndex

pytestmark = pytest.mark.skipif(shutil.which("clang-19") is None, reason="clang-19 is not installed")

VERSION = "5.2"
# clang 19 reads these for ever where they do not belong, or does not know them as clauses of executable directives.
UNREAD = frozenset(
    """when otherwise match adjust_args append_args indirect link inbranch notinbranch enter to from initializer uniform
    local""".split()  # noqa: SIM905 - a table of words
)
# Clauses that are also words of directives' names.
WORDS = frozenset(("parallel", "sections", "for", "taskgroup", "simd", "update"))
ARGUMENTS = {
    "map": "(to: x)", "default": "(shared)", "schedule": "(static)", "dist_schedule": "(static)", "bind": "(thread)",
    "reduction": "(+: x)", "in_reduction": "(+: x)", "task_reduction": "(+: x)", "proc_bind": "(close)",
    "order": "(concurrent)", "defaultmap": "(tofrom)", "depend": "(in: x)", "doacross": "(source:)",
    "fail": "(relaxed)",
    "at": "(compilation)", "severity": "(warning)", "message": '("m")', "uses_allocators": "(omp_default_mem_alloc)",
    "device_type": "(any)", "atomic_default_mem_order": "(relaxed)",
}  # fmt: skip

# What differs, by reason: "clause: directives" (`*`: any).
OURS = """
ompx_bare: *                                    clang 19 has it on `target teams` only, later ones on more
in_reduction: *                                 clang has it on no combined construct with `target`
seq_cst: flush                                  since 5.1, clang has not followed
firstprivate allocate: scope                    since 5.2, clang has not followed
default: target teams distribute simd           forgotten in clang's table
copyin: teams distribute parallel for simd      forgotten in clang's table
if: teams loop                                  forgotten in clang's table
"""
CLANGS = """
allocate: simd                                  no specification has it
ordered schedule num_threads proc_bind copyin default: distribute simd       of constructs that it does not have
schedule num_threads proc_bind shared: target simd                           of constructs that it does not have
copyin: target parallel loop                    no construct with `target` takes it
"""


def differences(table: str) -> dict[str, set[str]]:
    rows = (re.split(r"\s{2,}", line)[0].split(": ") for line in table.strip().splitlines())
    found: dict[str, set[str]] = {}
    for clauses, directives in rows:
        for clause in clauses.split():
            found.setdefault(clause, set()).add(directives)
    return found


def pairs() -> list[tuple[str, str]]:
    found = []
    for name, spec in DIRECTIVES.items():
        if spec.kind in ("block", "loop", "none") and not is_newer(spec.since, VERSION) and name != "metadirective":
            found += [(name, c) for c in CLAUSES if c not in UNREAD | WORDS]
    return found


def text(directive: str, clauses: list[str]) -> str:
    kind = " parallel" if directive.startswith("cancel") else "(x)" if directive == "depobj" else ""
    return f"#pragma omp {directive}{kind} {' '.join(clauses)}"


def written(clause: str) -> str:
    spec = CLAUSES[clause]
    if clause in ARGUMENTS:
        return clause + ARGUMENTS[clause]
    return clause if spec.optional else f"{clause}({'1' if spec.shape in ('expr', 'exprs') else 'x'})"


def unit(pragmas: list[str]) -> str:
    """A function for each, of which the pragma is the middle one of three lines."""
    functions = (f"void f{n}(void) {{\n{p}\nfor (int i = 0; i < 4; i++) ; }}\n" for n, p in enumerate(pragmas))
    return "int x;\n" + "".join(functions)


def clang(pragmas: list[str]) -> dict[int, str]:
    """What clang says of each pragma, by its number."""
    run = subprocess.run(
        ["clang-19", "-fopenmp", "-fopenmp-version=52", "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics",
         "-Wno-everything", "-Wextra-tokens", "-xc", "-"],
        check=False, input=unit(pragmas), capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    said: dict[int, str] = {}
    for line, message in re.findall(r"^<stdin>:(\d+):\d+: \w+: (.*)$", run.stderr, re.M):
        said[(int(line) - 3) // 3] = said.get((int(line) - 3) // 3, "") + message + "\n"
    return said


def takes(directive: str, clause: str) -> bool:
    spec = DIRECTIVES[directive]
    takers = [part for part in spec.constructs if clause in DIRECTIVES[part].clauses]
    since = min((CLAUSE_ON.get((part, clause), "") for part in takers), default="")
    return clause in spec.clauses and not is_newer(CLAUSES[clause].since, VERSION) and not is_newer(since, VERSION)


def test_each_directive_takes_the_clauses_that_clang_takes() -> None:
    asked = pairs()
    said = clang([text(d, [written(c)]) for d, c in asked])
    verdicts = {pair: said.get(n, "") for n, pair in enumerate(asked)}
    known = {d for (d, _), message in verdicts.items() if "expected an OpenMP directive" not in message}
    read = {c for _, c in asked if any("extra tokens" not in verdicts[d, c] for d in known)}
    ours, clangs = differences(OURS), differences(CLANGS)
    wrong = []
    for (directive, clause), message in verdicts.items():
        if directive not in known or clause not in read:
            continue
        theirs = "unexpected OpenMP clause" not in message and "extra tokens" not in message
        if takes(directive, clause) != theirs:
            excused = clangs.get(clause, set()) if theirs else ours.get(clause, set())
            if not excused & {directive, "*"}:
                wrong.append((directive, clause, "clang takes it" if theirs else "clang refuses it"))
    assert wrong == []
    assert len(known) > 60


def test_what_clang_takes_once_is_reported_when_it_stands_twice() -> None:
    asked = [(d, c) for d, c in pairs() if takes(d, c)]
    pragmas = [text(d, [written(c)] * 2) for d, c in asked]
    said = clang(pragmas)
    source = unit(pragmas).encode()
    index = LineIndex(source)
    told = {
        (index.line_of(d.where.start) - 1) // 3
        for d in check(Analyzer().analyze("x.c", source, EMPTY_SNAPSHOT, Settings()))
        if d.rule in ("repeated-clause", "conflicting-clauses", "malformed-clause")
    }
    once = [pair for n, pair in enumerate(asked) if "cannot contain more than one" in said.get(n, "")]
    assert len(once) > 300
    assert [pair for n, pair in enumerate(asked) if pair in once and n not in told] == []
