"""Copies that constructs make of variables which no clause lists: by `default(…)`, and by tasks (OpenMP 5.2 §5.1.1).

The host's compiler decides these by where a variable is declared.  In a kernel a variable may be reached through a
pointer, or a construct may have become a plain block; so they are worked out here, as gcc does it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from ompls.analysis.dataenv.private import PRIVATISING
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Node, Symbol
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Region
from ompls.translate.canonical import LOOP_CONSTRUCTS, nest_of
from ompls.translate.ctext import is_vla
from ompls.translate.problem import Problem
from ompls.translate.uses import declared_in, directives_in, modified_in, names_in, privatised, root_symbol

TASKS = frozenset(("task", "taskloop"))
_SHARING = frozenset((*PRIVATISING, "shared", "copyin"))
_SHARED = frozenset(("shared", "task_reduction", "copyprivate", "copyin"))


@dataclass(frozen=True)
class Copies:
    """What one construct copies without saying so; `kind` is 'firstprivate' or 'private'."""

    kind: str
    symbols: tuple[Symbol, ...] = ()


@dataclass
class _Frame:
    """A construct around a place: its own variables, and whether those of outside are shared in its team."""

    own: set[Symbol] = field(default_factory=set)
    team: bool = False


def implicit_copies(node: Node, own: Collection[Symbol] = ()) -> dict[int, Copies]:
    """id of a directive statement in `node` -> its implicit copies, where it makes some.

    own -- variables that belong to the region or function itself: its firstprivate and private ones
    """
    out: dict[int, Copies] = {}
    _walk(node, [_Frame(set(own))], out)
    return out


def own_variables(region: Region) -> list[Symbol]:
    """What is firstprivate or private on a target construct."""
    return [v.symbol for v in region.variables if v.sharing in ("firstprivate", "private")]


def copied_variables(region: Region, implicit: dict[int, Copies]) -> set[Symbol]:
    """Variables of which a construct, in the region or on it, has copies: by a clause, as a counter, or implicitly."""
    named = {s for c in implicit.values() for s in c.symbols}
    for stmt in directives_in(region.stmt):
        named |= privatised(stmt.directive) | {s for s in _counters(stmt) if s is not None}
        named |= {s for c in stmt.directive.all("task_reduction") for i in c.items if (s := i.symbol)}
    return named


def copies_made(node: Node, own: Collection[Symbol] = ()) -> dict[int, Copies]:
    """id of a directive -> its implicit copies where whoever meets a construct runs it at once: of what it changes.

    What a construct only reads has the same value in a copy.
    """
    implicit = implicit_copies(node, own)
    out = {}
    for stmt in directives_in(node):
        copies = implicit.get(id(stmt))
        if copies is not None and stmt.body is not None:
            changed = modified_in(stmt.body) | passed(stmt.body)
            kept = tuple(s for s in copies.symbols if copies.kind == "private" or s in changed or is_vla(s.type))
            out[id(stmt.directive)] = Copies(copies.kind, kept)
    return out


def passed(node: Node) -> set[Symbol]:
    """Variables of which an array is used as a pointer: what it points to may be changed."""
    elements = {id(bare(n.base)) for n in node.walk() if isinstance(n, ast.Index)}
    whole = (n for n in node.walk() if isinstance(n, ast.Expr) and isinstance(n.type, Array))
    return {s for n in whole if id(n) not in elements and (s := root_symbol(n)) is not None}


def copies_unlisted(d: Directive) -> bool:
    """Whether a `default` clause makes copies of what `d` does not list."""
    default = d.clause("default")
    return default is not None and (default.keyword or default.text.strip()) in ("firstprivate", "private")


def is_automatic(s: Symbol) -> bool:
    return s.level != "file" and s.storage not in ("static", "extern")


def listed_in(stmt: DirectiveStmt) -> set[Symbol | None]:
    """Variables whose sharing in the construct a clause says, or its loops."""
    named = {i.symbol for c in stmt.directive.clauses if c.name in _SHARING for i in c.items}
    return named | _counters(stmt)


def _counters(stmt: DirectiveStmt) -> set[Symbol | None]:
    if not LOOP_CONSTRUCTS & set(stmt.directive.constructs):
        return set()
    try:
        return set(nest_of(stmt.directive, stmt.body).counters)
    except Problem:  # which is said where the loop is translated
        return set()


def _walk(node: Node, around: list[_Frame], out: dict[int, Copies]) -> None:
    for n in ast.walk_down_to(node, lambda n: isinstance(n, DirectiveStmt)):
        if isinstance(n, ast.VarDecl) and is_automatic(n.symbol):
            around[-1].own.add(n.symbol)
        if not isinstance(n, DirectiveStmt) or n.body is None:
            continue
        d = n.directive
        copies = _copies(n, around)
        if copies.symbols:
            out[id(n)] = copies
        private = {i.symbol for c in d.clauses if c.name in _SHARING - _SHARED for i in c.items} | _counters(n)
        frame = _Frame({s for s in private if s is not None} | set(copies.symbols), d.has("parallel") or d.has("teams"))
        _walk(n.body, [*around, frame], out)


def _copies(stmt: DirectiveStmt, around: list[_Frame]) -> Copies:
    d = stmt.directive
    assert stmt.body is not None
    default = d.clause("default")
    kind = (default.keyword or default.text.strip()) if default is not None else ""
    tasks = bool(TASKS & set(d.constructs)) and not d.has("parallel")
    copied = kind in ("firstprivate", "private")
    if not copied and (kind or not tasks):
        return Copies("firstprivate")
    outside = listed_in(stmt) | declared_in(stmt.body)
    found = []
    for s in dict.fromkeys(n.symbol for n in names_in(stmt.body)):
        if s is None or s.kind not in ("var", "param") or s in outside or s.declare_target:
            continue
        if copied or _is_firstprivate(s, around):
            found.append(s)
    return Copies("private" if kind == "private" else "firstprivate", tuple(found))


def _is_firstprivate(s: Symbol, around: list[_Frame]) -> bool:
    """Whether a task copies `s`, which no clause lists: unless its team shares it, or there is one of it."""
    for frame in reversed(around):
        if s in frame.own:
            return True
        if frame.team:
            return False
    return is_automatic(s)
