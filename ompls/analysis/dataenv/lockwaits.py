"""Waits for locks of the OpenMP API: which of them can be joined to what is done while the lock is held.

A GPU before sm_70 runs the lanes of a warp in step: one that has got a lock waits behind the loop for those that are
still in it, and they wait for the lock.  So what is done under the lock has to stand in the loop that waits for it
(`gpu/locks.py` of the translator writes it so).  A *stretch* is what can: the statements from the one that takes a lock
to the last one of the same block that may release it.

A lane that leaves the inner one of two such loops waits there, too.  Another lane may still be in it and wait for the
first lane's outer lock, so a stretch in a stretch ends where the outer one does.  In a block of its own it cannot; then
its lock has to be another one than any that may be held outside (`_is_other`).

A wait that has no such stretch (the lock is released in another block or function, or a `goto` leaves) stays as it is.
So does one in whose stretch a function is called that takes locks, too.  Both are refused before sm_70: `Joins` says
why, and who asks for all that is in a piece of a program asks `apart`.

A loop of the user's that asks with `omp_test_lock` is right if the lane that has got the lock releases it in the loop
and leaves the loop by its condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ompls.analysis.dataenv.jumps import ways_out
from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Span, Symbol, nodes, walk_all
from ompls.analysis.model.ctype import Array, CType
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Content

Text = Callable[[Span], str]
# What waits for a lock -> what releases it.
_SET = {"omp_set_lock": "omp_unset_lock", "omp_set_nest_lock": "omp_unset_nest_lock"}
_TEST = {"omp_test_lock": "omp_set_lock", "omp_test_nest_lock": "omp_set_nest_lock"}
_JUMPS = ("return", "break", "continue")  # by which a stretch may be left
_ELSEWHERE = "release it in the block that takes it or in a statement of that block, without goto"
_NESTED = "a lock that another thread may hold there is taken while it is held"
_CALLED = "'{}' is called while it is held, and may take a lock that another thread holds"
_ASKED = "release it in the loop that asks, and let the thread that got it leave the loop by its condition"

Takers = Mapping[str, Sequence[ast.Call | None]]  # function -> the waits for locks in it and in those that it calls

ABILITY = "lock apart"  # a key of `spec/devices/abilities.py`


@dataclass(frozen=True)
class Stretch:
    """Statements that run under a lock: `first` takes it, the last of `body` is the last that may release it."""

    first: ast.Stmt
    body: Sequence[ast.Stmt]
    wait: ast.Call
    lock: str  # as the user wrote it

    @property
    def routine(self) -> str:
        """What waits: a loop of tests is a set."""
        return _set(self.wait)

    @property
    def out(self) -> list[ast.Jump]:
        """What leaves it early."""
        return [j for s in self.body for j in ways_out(s) if isinstance(j, ast.Jump)]


@dataclass
class Joins:
    """Which stretches of a function are joined; outer ones are asked for before those in them."""

    takers: Takers = field(default_factory=dict)
    waits: set[int] = field(default_factory=set)  # id of the calls that wait for a lock in such a stretch
    under: dict[int, list[Stretch]] = field(default_factory=dict)  # id of waits in stretches -> which
    reasons: dict[int, str] = field(default_factory=dict)  # id of waits that stay as they are -> why

    def join(self, s: Stretch) -> bool:
        """Whether the lanes that wait for the lock of `s` can wait in one loop with what is done under it."""
        if not all(o.body[-1] is s.body[-1] or _is_other(o, s) for o in self.under.get(id(s.wait), ())):
            self.reasons[id(s.wait)] = _NESTED
            return False
        called = {n.name for b in s.body for n in _names(b) if n.name in self.takers}
        for name in sorted(called):
            if not all(wait is not None and _is_other_there(s.wait, wait) for wait in self.takers[name]):
                self.reasons[id(s.wait)] = _CALLED.format(name)
                return False
        self.waits.add(id(s.wait))
        for inner in (n for b in s.body for n in nodes(b) if isinstance(n, ast.Call)):
            self.under.setdefault(id(inner), []).append(s)
        return True

    def left(self, node: ast.Node) -> Iterator[tuple[ast.Call, str]]:
        """The calls by which `node` itself, not a statement or expression in it, may wait apart; and why."""
        for call in _waits(node):
            if id(call) not in self.waits:
                yield call, self.reasons.get(id(call), _ELSEWHERE)


def apart_in(region: DirectiveStmt, text: Text, takers: Takers) -> Iterator[tuple[ast.Call, str]]:
    """The same for a target region, of which one thread runs what is in no parallel region."""
    for part in ast.walk_down_to(region, _is_shared_out):
        if _is_shared_out(part):
            yield from apart(part, text, takers)


def _is_shared_out(node: ast.Node) -> bool:
    return isinstance(node, DirectiveStmt) and (node.directive.has("parallel") or node.directive.has("loop"))


def apart(node: ast.Node, text: Text, takers: Takers) -> Iterator[tuple[ast.Call, str]]:
    """The waits for locks in `node`, which several lanes run, that cannot be joined; and why."""
    joins, asked = Joins(takers), unreleased(node, text)
    for n in nodes(node):
        if isinstance(n, ast.Compound):
            for stretch in stretches(n, text):
                joins.join(stretch)
        yield from joins.left(n)
        if isinstance(n, ast.Call) and id(n) in asked:
            yield n, asked[id(n)]


def text_of(content: Content) -> Text:
    """What spans in a declaration say."""
    return lambda span: decoded(content.text[span.start : span.end])


def stretches(block: ast.Compound, text: Text) -> list[Stretch]:
    """Those that begin and end in `block`, by their beginnings: nested, or one after the other."""
    ends: dict[int, int] = {}
    taken = {k: wait for k, item in enumerate(block.items) if (wait := _wait(item)) is not None}
    for k, wait in sorted(taken.items(), reverse=True):
        end = _end(block.items, k, wait, ends, text)
        if end is not None:
            ends.update({inner: end for inner in ends if k < inner <= end})
            ends[k] = end
    return [
        Stretch(block.items[k], block.items[k + 1 : end + 1], taken[k], text(taken[k].args[0].span))
        for k, end in sorted(ends.items())
    ]


def _is_other(outer: Stretch, s: Stretch) -> bool:
    """Whether nobody who waits for the lock of `s` there waits for a lane that holds the `outer` one's."""
    if outer.lock == s.lock:
        return _set(s.wait) == "omp_set_nest_lock"  # the thread holds it already
    one, other = _variable(outer.wait.args[0]), _variable(s.wait.args[0])
    return None not in (one, other) and one is not other


def _is_other_there(outer: ast.Call, wait: ast.Call) -> bool:
    """The same for a wait in a function that is called while `outer`'s lock is held."""
    one, other = _variable(outer.args[0]), _variable(wait.args[0])
    if one is None or one is not other:
        return None not in (one, other)
    plain = all(isinstance(_operand(call.args[0]), ast.Name) for call in (outer, wait))
    return plain and _set(wait) == "omp_set_nest_lock"


def takers(functions: Sequence[FunctionDef], elsewhere: Iterable[str] = ()) -> Takers:
    """What waits for locks in functions of this unit; of those in other units (None) it is not known.

    A function that asks for a lock once waits for nobody, but who calls it in a loop may: it counts, too.
    """
    found: dict[str, list[ast.Call | None]] = {name: [None] for name in elsewhere}
    calls = {f.symbol.name: {n.name for n in _names(f.body)} for f in functions}
    for f in functions:
        own = [n for n in nodes(f.body) if isinstance(n, ast.Call) and routine(n) in (*_SET, *_TEST)]
        if own:
            found[f.symbol.name] = list(own)
    waiting = list(found)
    while waiting:
        name = waiting.pop()
        for caller, names in calls.items():
            new = [wait for wait in found[name] if wait not in found.get(caller, ())] if name in names else []
            if new:
                found.setdefault(caller, []).extend(new)
                waiting.append(caller)
    return found


def _operand(lock: ast.Expr) -> ast.Expr | None:
    address = bare(lock)
    return bare(address.operand) if isinstance(address, ast.Unary) and address.op == "&" else None


def _variable(lock: ast.Expr) -> Symbol | None:
    """The variable that the lock is a part of; None when a pointer leads to it."""
    at = _operand(lock)
    while isinstance(at, (ast.Member, ast.Index)):
        if at.arrow if isinstance(at, ast.Member) else not _has_known_length(bare(at.base).type):
            return None
        at = bare(at.base)
    return at.symbol if isinstance(at, ast.Name) else None


def _has_known_length(t: CType) -> bool:
    while isinstance(t, Array) and not (t.vla and t.length is None):
        if not isinstance(t.of, Array):
            return True
        t = t.of
    return False


def _waits(node: ast.Node) -> list[ast.Call]:
    """The calls by which `node` itself, not a statement or expression in it, may wait until it gets a lock."""
    if isinstance(node, (ast.While, ast.DoWhile, ast.For)) and node.condition is not None:
        return _tests(node.condition)
    return [node] if isinstance(node, ast.Call) and routine(node) in _SET else []


def asks(node: ast.Node) -> bool:
    """Whether `node` asks for a lock and goes on without it where it cannot be had."""
    return bool(_tests(node))


def unreleased(body: ast.Node, text: Text) -> dict[int, str]:
    """id of calls in `body` that ask for a lock -> why a lane that gets it may wait, with it, for those that do not."""
    found: dict[int, str] = {}
    tests = _tests(body)
    if not tests:
        return found
    loops = [n for n in nodes(body) if isinstance(n, (ast.While, ast.DoWhile, ast.For))]
    back = _backward_jumps(body)
    for test in tests:
        around = [n for n in loops if _holds(n.body, test)]
        inner = min(around, key=lambda n: n.span.end - n.span.start) if around else None
        scope = inner.body if inner is not None else body
        lock, release = text(test.args[0].span), _SET[_set(test)]
        after = [n for n in nodes(scope) if n.span.start > test.span.start]
        released = any(
            isinstance(n, ast.Call) and routine(n) == release and text(n.args[0].span) == lock for n in after
        )
        ways = ways_out(scope) if inner is not None else ()
        leaves = any(
            isinstance(w, ast.Jump) and w.kind != "continue" and w.span.start > test.span.start
            for w in ways
            if not _without_it(scope, test, w)
        )
        if leaves or not released or any(one <= test.span.start <= other for one, other in back):
            found[id(test)] = _ASKED
    return found


def _holds(node: ast.Node, inner: ast.Node) -> bool:
    return node.span.start <= inner.span.start and inner.span.end <= node.span.end


def _without_it(scope: ast.Node, test: ast.Call, way: ast.Node) -> bool:
    """Whether `way` is in the branch of an `if` that is gone when the lock was not to be had."""
    for branch in nodes(scope):
        if isinstance(branch, ast.If):
            condition = bare(branch.condition)
            if isinstance(condition, ast.Unary) and condition.op == "!" and bare(condition.operand) is test:
                return _holds(branch.then, way)
            if condition is test:
                return branch.otherwise is not None and _holds(branch.otherwise, way)
    return False


def _backward_jumps(body: ast.Node) -> list[tuple[int, int]]:
    """(where it goes, where it stands) of each `goto` to a label in front of it."""
    labels = {n.name: n.span.start for n in nodes(body) if isinstance(n, ast.Labeled)}
    gotos = [n for n in nodes(body) if isinstance(n, ast.Jump) and n.kind == "goto"]
    return [(labels[n.label], n.span.start) for n in gotos if labels.get(n.label, n.span.start) < n.span.start]


def polls(node: ast.Node) -> bool:
    """Whether `node` is a loop that may go on until it has got a lock which its body asks for."""
    return isinstance(node, (ast.While, ast.DoWhile, ast.For)) and bool(_tests(node.body))


def _tests(node: ast.Node) -> list[ast.Call]:
    return [n for n in nodes(node) if isinstance(n, ast.Call) and routine(n) in _TEST]


def _end(items: Sequence[ast.Stmt], first: int, wait: ast.Call, ends: dict[int, int], text: Text) -> int | None:
    """Where the stretch ends that begins with `wait`; None when it cannot be a function of its own."""
    routine, lock = _set(wait), text(wait.args[0].span)
    last = first
    for k in range(first + 1, len(items)):
        again = _wait(items[k])
        if again is not None and _set(again) == routine == "omp_set_lock" and text(again.args[0].span) == lock:
            break
        if _releases(items[k], _SET[routine], lock, text):
            last = k
    released, reach = last, first
    while reach < last:  # nothing may be cut: neither what a stretch in it needs, nor the scope of a variable
        reach = last
        declared = {d.symbol for s in items[first + 1 : last + 1] if isinstance(s, ast.DeclStmt) for d in s.decls}
        last = max([last, *(end for k, end in ends.items() if first < k <= last), *_using(items, last + 1, declared)])
    after = items[released + 1 : last + 1]
    if any(isinstance(n, DirectiveStmt) for s in after for n in nodes(s)):  # a barrier, perhaps
        return None
    ways = [w for s in items[first + 1 : last + 1] for w in ways_out(s)]
    fits = all(isinstance(w, ast.Jump) and w.kind in _JUMPS for w in ways)
    return last if last > first and fits else None


def _using(items: Sequence[ast.Stmt], start: int, symbols: set[Symbol]) -> Iterator[int]:
    for k in range(start, len(items)):
        if any(n.symbol in symbols for n in _names(items[k])):
            yield k


def _wait(s: ast.Stmt) -> ast.Call | None:
    """The call when `s` is `omp_set_lock(x);`, or a loop of `!omp_test_lock(x)` that does nothing else."""
    call: ast.Expr | None = None
    if isinstance(s, ast.ExprStmt) and s.expr is not None:
        call, routines = bare(s.expr), set(_SET)
    elif isinstance(s, (ast.While, ast.DoWhile)) and _does_nothing(s.body):
        condition = bare(s.condition)
        if isinstance(condition, ast.Unary) and condition.op == "!":
            call, routines = bare(condition.operand), set(_TEST)
    return call if isinstance(call, ast.Call) and routine(call) in routines else None


def _does_nothing(s: ast.Stmt) -> bool:
    if isinstance(s, ast.Compound):
        return all(_does_nothing(item) for item in s.items)
    if isinstance(s, DirectiveStmt):
        return s.directive.name == "taskyield"
    return isinstance(s, ast.ExprStmt) and s.expr is None


def routine(call: ast.Call) -> str:
    """The routine with one argument that is called."""
    return call.function.name if isinstance(call.function, ast.Name) and len(call.args) == 1 else ""


def _set(wait: ast.Call) -> str:
    """What waits like `wait`: a loop of tests is a set."""
    return _TEST.get(routine(wait), routine(wait))


def _releases(s: ast.Stmt, release: str, lock: str, text: Text) -> bool:
    calls = (n for n in nodes(s) if isinstance(n, ast.Call) and routine(n) == release)
    return any(text(n.args[0].span) == lock for n in calls)


def _names(node: ast.Node) -> Iterator[ast.Name]:
    return (n for n in walk_all(node) if isinstance(n, ast.Name) and n.symbol is not None)
