"""Conditions that accesses are under, and what they say about races: whether both happen, in which threads."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.access import Access, Walk
from ompls.analysis.dataenv.called import known_of, touched_by
from ompls.analysis.dataenv.guards import Guard, beyond, exclude
from ompls.analysis.dataenv.paths import named_in, root, same
from ompls.analysis.dataenv.records import member_of
from ompls.analysis.dataenv.relations import fails
from ompls.analysis.dataenv.symbolic import Opaque, Poly, poly_of
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import DirectiveStmt, Expr, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.races.alike import is_alike, stored_alike
from ompls.analysis.rules.support.races.levels import Level
from ompls.analysis.rules.support.races.updates import same_update, stored
from ompls.analysis.spec.runtime import SAME_FOR_ALL, THREADS

_THREADING = frozenset(("parallel", "teams"))


class Conditions:
    """The conditions of one walk's accesses."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        # Of constructs, since all pairs of accesses ask for the same.
        self.changing: dict[DirectiveStmt, set[Symbol]] = {}
        self.looped: dict[DirectiveStmt, set[Symbol]] = {}
        self.indices: dict[DirectiveStmt, set[int]] = {}
        self.stored: dict[DirectiveStmt, set[object]] = {}

    def changes(self, level: Level) -> set[Symbol]:
        """Variables whose values may differ between the units of the level."""
        return self.assigned(level.stmt)

    def assigned(self, stmt: DirectiveStmt) -> set[Symbol]:
        found = self.changing.get(stmt)
        if found is None:
            found = self.changing[stmt] = assigned_in(stmt).union(*(own for own, _ in self.called(stmt)))
        return found

    def called(self, stmt: DirectiveStmt) -> Iterator[tuple[set[Symbol], bool]]:
        """The variables of each function called in the construct that it assigns itself; whether a loop calls it."""
        outer = self.walk.starts[stmt].loops
        found: dict[Content, bool] = {}
        for x in self.walk.accesses:
            if x.home is not None and x.guards and stmt in x.directives:
                found[x.home] = found.get(x.home, False) or len(x.loops) > outer
        for home, looped in found.items():
            assigned = assigned_in(home.node) if isinstance(home.node, ast.FunctionDef) else set()
            yield {s for s in assigned if s.level != "file" and s.storage != "static"}, looped

    def computed(self, stmt: DirectiveStmt) -> set[Symbol]:
        """Variables that loops in the construct assign."""
        found = self.looped.get(stmt)
        if found is None:
            loops = (n for n in stmt.walk() if isinstance(n, (ast.For, ast.While, ast.DoWhile)))
            called = (own for own, looped in self.called(stmt) if looped)
            found = self.looped[stmt] = set().union(*map(assigned_in, loops), *called)
        return found

    def inside(self, access: Access, level: Level) -> tuple[Guard, ...]:
        """The conditions that stand inside of the construct."""
        return access.guards[self.walk.starts[level.stmt].guards :]

    def implies(self, a: Access, b: Access, level: Level) -> bool:
        """Whether `b` happens in a unit in which `a` does, as far as the conditions inside of the construct say."""
        return not beyond(self.inside(b, level), self.inside(a, level), _Same(self, level))

    def is_invariant(self, expr: Expr, level: Level, calls: bool = False) -> bool:
        """Whether all units find the same value; `calls`: what functions without arguments give counts as the same."""
        return is_alike(expr, self.changes(level), calls, _numbers(level))

    def is_partial(self, access: Access, level: Level) -> bool:
        """Whether the access happens in some units only, and which ones is not known."""
        inside = self.inside(access, level)
        return any(not self.is_invariant(g.asked, level) and not _is_told(g, access) for g in inside)

    def exclude(self, a: Access, b: Access, level: Level) -> bool:
        """Whether the two are under contrary conditions that are alike for all units, or one where there is one unit."""
        if any(_is_alone(g, level) for x in (a, b) for g in self.inside(x, level)):
            return True
        return exclude(self.inside(a, level), self.inside(b, level), _Same(self, level))

    def written(self, level: Level) -> set[object]:
        """Variables that something in the construct writes, called functions included; of structures each member."""
        found = self.stored.get(level.stmt)
        if found is None:
            places = (x.place for x in self.walk.accesses if x.write and level.stmt in x.directives)
            found = {(p.symbol, member_of(p)) if p.path else p.symbol for p in places}
            self.stored[level.stmt] = found
        return found

    def happen(self, a: Access, b: Access, level: Level, fixed: bool) -> bool:
        """Whether both happen for certain, in different units."""
        if all(_adds_unequal(x) for x in (a, b)):
            return False
        if all(self.may_choose(x, level) for x in (a, b)):
            return False
        partial = [x for x in (a, b) if self.is_partial(x, level)]
        if not partial:
            return True
        if len(partial) == 1 and a is not b:
            other = b if partial[0] is a else a
            return all(self.is_invariant(g.asked, level) for g in self.inside(other, level))
        if not fixed:
            return a is b and a.read and a.write and self.is_by_data(a, level) and not self.may_never(a, level)
        if all(self.is_new_extreme(x, level) for x in partial):
            return True
        # A counter: that it never counts is not what it is for, unless it counts mistakes.
        counted = same_update(a, b) or (len(partial) == 2 and self.is_half_atomic(a, b, level))
        return counted and not any(self.may_never(x, level) for x in partial)

    def may_choose(self, access: Access, level: Level) -> bool:
        """Whether a condition may let one thread pass only, as `if (my_number() == 0)` does.

        Where threads differ in what no loop has computed, it is in who they are, whoever tells them.
        """
        path = access.directives[: access.directives.index(level.stmt) + 1]
        outer = next((s for s in path if _THREADING & set(s.directive.constructs)), level.stmt)
        changing = self.assigned(outer)
        written = {x.symbol for x in self.walk.accesses if x.write and x.place.path and outer in x.directives}
        doubtful = [
            g for g in access.guards[self.walk.starts[outer].guards :]
            if not is_alike(g.asked, changing, written=written) and access.symbol not in named_in(g.asked)
            and not (_is_told(g, access) and changing.isdisjoint(x for p, _ in g.facts for x in p.symbols()))
        ]  # fmt: skip
        if not doubtful:
            return False
        computed = self.computed(outer)
        return any(not computed & named_in(g.asked) and not _asks_library(g.asked) for g in doubtful)

    def may_never(self, access: Access, level: Level) -> bool:
        """Whether a counter counts what does not happen when all goes well: `if (x != y) errors++`.

        A check leaves alone what it looks at, and `to[n++] = x` gives each case that it finds a place.
        """
        doubtful = [g for g in self.inside(access, level) if g.holds and _is_unequal(g.asked)]
        if not doubtful or self.is_position(access, level):
            return False
        looked = {n.symbol for g in doubtful for i in g.asked.walk() if isinstance(i, ast.Index) for n in i.base.walk()
                  if isinstance(n, ast.Name)}  # fmt: skip
        return not any(
            x.write and x.symbol in looked and x.order > access.order and level.stmt in x.directives
            for x in self.walk.accesses
        )

    def is_position(self, access: Access, level: Level) -> bool:
        """Whether it is the `n++` of `to[n++]`."""
        by = access.by
        if not isinstance(by, ast.Unary) or access.inner is not None:
            return False
        found = self.indices.get(level.stmt)
        if found is None:
            indices = (n.index for n in level.stmt.walk() if isinstance(n, ast.Index))
            found = self.indices[level.stmt] = {id(n) for index in indices for n in index.walk()}
        return id(by) in found

    def is_by_data(self, access: Access, level: Level) -> bool:
        """Whether data decide if it happens, and not which iteration it is: `j == pick[i]` is true in one for each i."""
        own = {r.symbol for r in access.loops}
        doubtful = [g for g in self.inside(access, level) if not self.is_invariant(g.asked, level)]
        for node in (n for g in doubtful for n in g.asked.walk()):
            if isinstance(node, ast.Call):
                return False
            if isinstance(node, ast.Binary) and node.op == "==":
                sides = (poly_of(node.left, loads=False), poly_of(node.right, loads=False))
                if any(p is not None and p.symbols() & own for p in sides):
                    return False
        return all(any(isinstance(n, ast.Index) for n in g.asked.walk()) for g in doubtful)

    def is_new_extreme(self, access: Access, level: Level) -> bool:
        """Whether it happens where a new maximum (minimum) is kept, so once at least: `if (x > max) max = x, at = i`."""
        inside = [g for g in self.inside(access, level) if not self.is_invariant(g.asked, level)]
        return bool(inside) and all(g.holds and _keeps_extreme(g) for g in inside)

    def is_half_atomic(self, a: Access, b: Access, level: Level) -> bool:
        """Whether one is atomic, which shows that several units come here, and the other one, next to it, is not."""
        kinds = [{kind for kind, _ in x.held} for x in (a, b)]
        both = self.implies(a, b, level) and self.implies(b, a, level)
        return ("atomic" in kinds[0]) != ("atomic" in kinds[1]) and both

    def by_thread(self, a: Access, b: Access) -> bool:
        """Whether conditions on the thread's number choose who does it."""
        return any(_asks_thread(p) for x in (a, b) for g in x.guards for p, _ in g.facts)

    def one_unit(self, a: Access, b: Access, level: Level) -> bool:
        """Whether both are done by one and the same thread (team), which conditions name."""
        named = _named(a) & _named(b)
        return level.tells_apart({o.op for p in named for o in p.opaques()})

    def is_redundant(self, a: Access, b: Access, level: Level) -> bool:
        """Whether all units do the same work: each stores the same values in the same places."""
        by = a.by
        if a.read or b.read or a.inner is not b.inner or a.node is not b.node or not isinstance(by, ast.Assign):
            return False
        if a.inner is not None:
            return True  # stored by a called function, and nothing shows that it matters who is last
        # A variable that is a subscript by itself is the same wherever the places are.
        own = self.units_own(level) - {x for s in a.subscripts if s is not None for x in s.symbols() if s == Poly.of(x)}
        for node in by.value.walk():
            symbol = node.symbol if isinstance(node, ast.Name) else None
            if symbol is not None and (symbol in own or _is_of_thread(symbol)):
                return False
            if isinstance(node, ast.Call):
                name = node.function.name if isinstance(node.function, ast.Name) else ""
                if name in THREADS or (level.kind == "iterations" and name not in SAME_FOR_ALL):
                    return False
        return True

    def units_own(self, level: Level) -> set[Symbol]:
        """What has another value in each iteration: the loops' variables, and what the body assigns besides inner loops'."""
        if level.kind != "iterations":
            return set()
        loops = {n.init for n in level.stmt.walk() if isinstance(n, ast.For)} - {f.init for f in level.loops}
        inner = set().union(*(assigned_in(init) for init in loops if init is not None))
        return self.changes(level) - inner

    def same_value(self, a: Access, b: Access, level: Level) -> bool:
        """Whether both store what is the same for all units: which of them comes last cannot be told."""
        if a.place.path != b.place.path:
            return False  # of bit-fields side by side each store keeps what it has read of the other
        if isinstance(a.by, ast.Call) or isinstance(b.by, ast.Call):
            return self.copies_alike(a, b, level)
        values = [stored(x) for x in (a, b)]
        if values[0] is None or values[1] is None:
            return False
        if a is not b and (level.kind != "copies" or self.by_thread(a, b)):
            x, y = fold(values[0]), fold(values[1])
            if x is None or x != y:
                return False
        if (a.inner or b.inner) and (fold(values[0]) is None or fold(values[1]) is None):
            return False  # a called function's own variables: what they hold is not known here
        calls = level.kind == "copies"
        return self.is_invariant(values[0], level, calls) and self.is_invariant(values[1], level, calls)

    def copies_alike(self, a: Access, b: Access, level: Level) -> bool:
        """Whether a library function, `memset` say, stores the same for all, and nobody stores anything else there."""
        call, *others = [x.by for x in (a, b) if x.write]
        if not isinstance(call, ast.Call) or any(by is not call for by in others):
            return False
        if not self.gives_alike(call, level):
            return False
        writes = (x for x in self.walk.accesses if x.write and x.certain and x.symbol is a.symbol)
        return all(x.by is call for x in writes if level.stmt in x.directives)

    def gives_alike(self, call: ast.Call, level: Level) -> bool:
        """Whether what a library function writes follows from arguments that are the same for all."""
        row = known_of(call)
        if row is None or not row.by_args:
            return False
        touched = list(touched_by(call, row))  # where they write is the same place, since the two meet there
        silent = {at for arg, _ in touched for at in arg.size} | {arg.at for arg, write in touched if write}
        return all(self.is_invariant(arg, level) for at, arg in enumerate(call.args) if at not in silent)

    def is_own_again(self, a: Access, b: Access, level: Level) -> bool:
        """Whether each thread reads what it has just stored itself, and all store the same: `n = omp_get_num_threads()`."""
        write, read = (a, b) if a.write else (b, a)
        value = stored(write)
        if level.kind != "copies" or value is None or write.read or read.write or read.order < write.order:
            return False
        if list(write.subscripts) != list(read.subscripts):
            return False
        unlike = self.changes(level) - stored_alike(level.stmt)
        return self.implies(read, write, level) and not write.inner and is_alike(value, unlike, calls=True)

    def is_flag(self, a: Access, b: Access, level: Level) -> bool:
        """Whether one may set a flag that the other one only looks at: seeing it late does no harm in most programs."""
        write, read = (a, b) if a.write else (b, a)
        value = stored(write)
        plain = not write.held and not read.held and not read.write
        known = plain and value is not None and fold(value) is not None and not write.place.path
        return known and self.is_partial(write, level)

    def is_ticket(self, access: Access, level: Level) -> bool:
        """Whether what is stored was drawn by an `atomic capture`: who stores last is decided by the program."""
        value = stored(access)
        if not isinstance(value, ast.Name) or level.stmt.body is None:
            return False
        captures = (
            n for n in level.stmt.body.walk()
            if isinstance(n, DirectiveStmt) and n.directive.name == "atomic" and n.directive.clause("capture")
        )  # fmt: skip
        return any(value.symbol in assigned_in(n) for n in captures)


class _Same:
    """What has one value in all units of a level, however far each of them is (`guards.Constancy`)."""

    def __init__(self, conditions: Conditions, level: Level) -> None:
        self.conditions, self.level = conditions, level

    def value(self, p: Poly) -> bool:
        """What changes in the construct is not in here any more (`settled`), but for the loops' variables."""
        numbers = {o.op for o in p.opaques()} & _numbers(self.level)
        return not numbers and self.conditions.changes(self.level).isdisjoint(p.symbols())

    def expr(self, expr: Expr) -> bool:
        if not self.conditions.is_invariant(expr, self.level):
            return False
        written = self.conditions.written(self.level)
        for node in expr.walk():
            if isinstance(node, ast.Name) and node.symbol in written:
                return False
            if isinstance(node, ast.Member) and not written.isdisjoint(((root(node), ""), (root(node), node.field))):
                return False
        return True


def _numbers(level: Level) -> frozenset[str]:
    """Routines that give another number to each unit."""
    return frozenset(("omp_get_thread_num",)) if level.unit == "thread" and not level.teams else THREADS


def _asks_library(expr: Expr) -> bool:
    """Whether a function of the C library is asked, such as `rand`: it does not know the threads."""
    called = (n.function.symbol for n in expr.walk() if isinstance(n, ast.Call) and isinstance(n.function, ast.Name))
    return any(s is not None and s.from_system_header and s.name not in THREADS for s in called)


def _is_told(guard: Guard, access: Access) -> bool:
    """Whether its facts say all that the condition says, and no data decide, but for a subscript that is in its range."""
    if not guard.understood:
        return False
    index = {o for s in access.subscripts if s is not None for o in s.opaques()}
    loaded = [(o, op) for p, op in guard.facts for o in p.opaques() if o.base is not None]
    return all(o in index and op != "==" for o, op in loaded)


def _is_of_thread(symbol: Symbol) -> bool:
    """Whether a variable is declared with the number of the thread (team) in it: `int base = omp_get_team_num() * n`."""
    calls = symbol.init.walk() if symbol.init is not None and symbol.level == "block" else ()
    return any(
        isinstance(n, ast.Call) and isinstance(n.function, ast.Name) and n.function.name in THREADS for n in calls
    )


def _is_unequal(expr: Expr) -> bool:
    expr = bare(expr)
    if isinstance(expr, ast.Binary) and expr.op == "||":
        return _is_unequal(expr.left) and _is_unequal(expr.right)
    return isinstance(expr, ast.Binary) and expr.op == "!="


def _keeps_extreme(guard: Guard) -> bool:
    """Whether what depends on a comparison stores one side of it in the other: `if (x > max) max = x`."""
    condition = bare(guard.expr)
    if not isinstance(guard.stmt, ast.If) or not isinstance(condition, ast.Binary):
        return False
    if condition.op not in ("<", "<=", ">", ">="):
        return False
    sides = (bare(condition.left), bare(condition.right))
    return any(
        n.op == "=" and any(same(bare(n.target), x) and same(bare(n.value), y) for x, y in (sides, sides[::-1]))
        for n in guard.stmt.then.walk()
        if isinstance(n, ast.Assign)
    )


def _adds_unequal(access: Access) -> bool:
    """Whether it adds the outcome of a comparison for `!=`, as checks in tests do."""
    by = access.by
    value = bare(by.value) if isinstance(by, ast.Assign) and by.op == "+=" else None
    if isinstance(value, ast.Name) and value.symbol is not None and value.symbol.init is not None:
        value = bare(value.symbol.init)
    return value is not None and _is_unequal(value)


def _is_alone(guard: Guard, level: Level) -> bool:
    """Whether a condition holds only when there are no other threads (teams): `omp_get_num_threads() == 1`."""
    if level.teams and level.unit == "thread":
        return False
    count = Opaque(f"omp_get_num_{level.unit}s", None, ())
    for p, op in guard.facts:
        tried = [p.substitute({count: Poly.of(n)}).constant for n in (2, 3, 1000)] if count in p.opaques() else []
        if tried and all(n is not None and fails(n, op) for n in tried):
            return True
    return False


def _asks_thread(p: Poly) -> bool:
    return any(isinstance(o, Opaque) and o.op in THREADS for o in p.opaques())


def _named(access: Access) -> set[Poly]:
    """Equations that name the thread or the team."""
    return {p for g in access.guards for p, op in g.facts if op == "==" and _asks_thread(p)}
