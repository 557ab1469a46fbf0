"""Conditions that accesses are under, and what they say about races: whether both happen, in which threads."""

from __future__ import annotations

from ompls.analysis.dataenv.access import Access, Guard, Walk
from ompls.analysis.dataenv.places import bare
from ompls.analysis.dataenv.symbolic import Opaque, Poly
from ompls.analysis.dataenv.walk import assigned_in
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Expr, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.rules.support.races.levels import Level

_THREADS = frozenset(("omp_get_thread_num", "omp_get_team_num"))
_SAME_FOR_ALL = frozenset((
    "omp_is_initial_device", "omp_get_num_threads", "omp_get_num_teams", "omp_get_team_size", "omp_get_max_threads",
    "omp_in_parallel", "omp_get_level", "omp_get_num_procs", "omp_get_device_num", "omp_get_thread_limit",
    "omp_get_num_devices", "omp_get_initial_device", "omp_get_default_device", "omp_get_active_level", "omp_get_dynamic",
    "omp_get_max_active_levels", "omp_get_nested", "omp_get_cancellation", "omp_get_proc_bind",
))  # fmt: skip


class Conditions:
    """The conditions of one walk's accesses."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.changing: dict[DirectiveStmt, set[Symbol]] = {}

    def changes(self, level: Level) -> set[Symbol]:
        """Variables whose values may differ between the units of the level."""
        found = self.changing.get(level.stmt)
        if found is None:
            found = assigned_in(level.stmt)
            self.changing[level.stmt] = found
        return found

    def inside(self, access: Access, level: Level) -> tuple[Guard, ...]:
        """The conditions that stand inside of the construct."""
        return access.guards[self.walk.starts[level.stmt].guards :]

    def is_invariant(self, expr: Expr, level: Level) -> bool:
        """Whether all units find the same value."""
        changing = self.changes(level)
        for node in expr.walk():
            if isinstance(node, ast.Name) and node.symbol is not None and node.symbol in changing:
                return False
            if isinstance(node, ast.Call):
                name = node.function.name if isinstance(node.function, ast.Name) else ""
                if name not in _SAME_FOR_ALL:
                    return False
            if isinstance(node, (ast.Index, ast.Assign)) or (
                isinstance(node, ast.Unary) and node.op in ("*", "++", "--")
            ):
                return False
        return True

    def is_partial(self, access: Access, level: Level) -> bool:
        """Whether the access happens in some units only, and which ones is not known."""
        return any(not self.is_invariant(g.expr, level) and not _is_understood(g) for g in self.inside(access, level))

    def exclude(self, a: Access, b: Access, level: Level) -> bool:
        """Whether the two are under contrary conditions that are alike for all units."""
        contrary = {(id(g.stmt), not g.holds) for g in self.inside(a, level) if self.is_invariant(g.expr, level)}
        return any((id(g.stmt), g.holds) in contrary for g in self.inside(b, level))

    def happen(self, a: Access, b: Access, level: Level, fixed: bool) -> bool:
        """Whether both happen for certain, in different units."""
        partial = [x for x in (a, b) if self.is_partial(x, level)]
        if not partial:
            return True
        if not fixed:
            return False
        if len(partial) == 1 and a is not b:
            return True
        return all(x.read and x.write for x in partial)  # a counter: that it never counts is not what it is for

    def by_thread(self, a: Access, b: Access) -> bool:
        """Whether conditions on the thread's number choose who does it."""
        return any(_asks_thread(p) for x in (a, b) for g in x.guards for p, _ in g.facts)

    def one_thread(self, a: Access, b: Access) -> bool:
        """Whether both are done by one and the same thread, which a condition names."""
        return bool(_threads(a) & _threads(b))

    def same_value(self, a: Access, b: Access, level: Level) -> bool:
        """Whether both store one value that is the same for all units: which of them comes last cannot be told."""
        values = [_stored(x) for x in (a, b)]
        if values[0] is None or values[1] is None:
            return False
        if a is not b:
            x, y = fold(values[0]), fold(values[1])
            if x is None or x != y:
                return False
        return self.is_invariant(values[0], level)


def _stored(access: Access) -> Expr | None:
    by = access.by
    if isinstance(by, ast.Assign) and by.op == "=" and not access.read:
        value = bare(by.value)
        while isinstance(value, ast.Cast):
            value = bare(value.operand)
        return value
    return None


def _is_understood(guard: Guard) -> bool:
    """Whether the facts say all that the condition says."""
    return len(guard.facts) == _parts(guard.expr, guard.holds)


def _parts(expr: Expr, holds: bool) -> int:
    expr = bare(expr)
    if isinstance(expr, ast.Unary) and expr.op == "!":
        return _parts(expr.operand, not holds)
    if isinstance(expr, ast.Binary) and expr.op == ("&&" if holds else "||"):
        return _parts(expr.left, holds) + _parts(expr.right, holds)
    return 1


def _asks_thread(p: Poly) -> bool:
    return any(isinstance(o, Opaque) and o.op in _THREADS for o in p.opaques())


def _threads(access: Access) -> set[Poly]:
    """Equations that name the thread."""
    return {p for g in access.guards for p, op in g.facts if op == "==" and _asks_thread(p)}
