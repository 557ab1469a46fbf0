"""The walk behind `access.py`: statements in order, with what variables hold, conditions, loops, directives and locks.

Flow is followed as far as it is structured; at a label everything the walk's statement assigns is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.places import Env, place_of
from ompls.analysis.dataenv.private import PRIVATISING
from ompls.analysis.dataenv.records import Held, Start, Sync, Walk
from ompls.analysis.dataenv.relations import alone, facts_of
from ompls.analysis.dataenv.sharing import private_in, private_targets, started_anew
from ompls.analysis.dataenv.summaries import Summaries
from ompls.analysis.dataenv.symbolic import LoopRange, loop_range, poly_of, uneven_range
from ompls.analysis.dataenv.walk_expr import Expressions
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_in
from ompls.analysis.model.ast import Expr, Node, Stmt, Symbol, walk_all
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import INT, Array
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Content
from ompls.analysis.spec.runtime import NO_RETURN

_WAITS_AT_END = frozenset(("for", "sections", "single", "loop", "workshare"))
_WAITING = frozenset(("atomic", "flush", "critical"))
_DEEPEST = 200  # nesting of statements


class Walker(Expressions):
    """Call `run` once; the results are in `accesses`, `syncs`, `declared` and `touched`."""

    def __init__(
        self, functions: Mapping[str, Content], env: Env | None = None, summaries: Summaries | None = None
    ) -> None:
        super().__init__(functions, env, summaries or Summaries(functions, _walk_of))
        self.depth = 0
        self.whole: Node | None = None
        self.starts: dict[ast.DirectiveStmt, Start] = {}
        self.known: dict[int, set[Symbol]] = {}
        self.repeats = False  # in the next iteration of a loop

    def run(self, node: Node) -> None:
        self.whole = node
        if isinstance(node, ast.FunctionDef):
            self.statement(node.body)
        elif isinstance(node, Expr):
            self.value(node)
        elif isinstance(node, Stmt):
            self.statement(node)

    def assigned(self, node: Node) -> set[Symbol]:
        """Variables that `node` gives another value, or whose address it takes."""
        found = self.known.get(id(node))
        if found is None:
            if isinstance(node, Stmt) and self.depth < _DEEPEST:
                self.depth += 1
                found = set().union(*[self.assigned(n) for n in _parts(node)])
                self.depth -= 1
            else:
                found = assigned_in(node)
            self.known[id(node)] = found
        return found

    def statement(self, stmt: Stmt | None) -> None:
        if stmt is None or self.depth > _DEEPEST:
            return
        self.depth += 1
        match stmt:
            case ast.Compound():
                for item in stmt.items:
                    self.statement(item)
            case ast.ExprStmt():
                if not self.tries(stmt.expr):
                    self.value(stmt.expr)
            case ast.DeclStmt():
                for decl in stmt.decls:
                    self.declare(decl)
            case ast.If():
                self.branch(stmt)
            case ast.For():
                self.counted(stmt)
            case ast.While() | ast.DoWhile():
                self.repeated(stmt)
            case ast.Switch():
                self.switch(stmt)
            case ast.Case():
                self.statement(stmt.body)
            case ast.Labeled():
                if self.whole is not None:
                    self.env.forget(self.assigned(self.whole), self.tick())
                self.statement(stmt.body)
            case ast.Jump():
                self.value(stmt.value)
            case ast.DirectiveStmt():
                self.directive(stmt)
            case _:
                self.env.forget(self.assigned(stmt), self.tick())
                for child in stmt.children():
                    if isinstance(child, Expr):
                        self.value(child)
                    elif isinstance(child, Stmt):
                        self.statement(child)
        self.depth -= 1

    def declare(self, decl: ast.VarDecl) -> None:
        for dim in decl.dims:
            self.value(dim)
        symbol = decl.symbol
        if decl.dims and isinstance(symbol.type, Array) and symbol.type.vla:
            self.env.dims[symbol] = tuple([poly_of(dim, self.env.values) for dim in decl.dims])
        if symbol.storage in ("static", "extern"):
            return
        self.declared[symbol] = self.directives[-1] if self.directives else None
        if decl.init is not None:
            self.value(decl.init)
            self.emit(
                place_of(ast.Name(decl.name_span, symbol.name, symbol, type=symbol.type), self.env), decl, False, True
            )
        self.set(symbol, decl.init)

    # --- branches and loops

    def branch(self, stmt: ast.If) -> None:
        """A ladder of `else if` is walked without recursion over its length."""
        ladder: list[tuple[ast.If, tuple[Guard, ...], Env, Env, frozenset[Held]]] = []
        at: Stmt | None = stmt
        while isinstance(at, ast.If):
            self.value(at.condition)
            guards, before, held = self.guards, self.env.copy(), self.held
            self.guards = (*guards, self.guard(at, True, before))
            self.statement(at.then)
            ladder.append((at, guards, before, self.env, self.held))
            self.guards = (*guards, self.guard(at, False, before))
            self.env, self.held = before.copy(), held
            at = at.otherwise
        self.statement(at)
        other_leaves, may = always_leaves(at), at is not None and may_leave(at)
        for at, guards, before, after, held_after in reversed(ladder):
            leaves, may = always_leaves(at.then), may or may_leave(at.then)
            self.guards = guards
            if leaves:
                self.guards = (*guards, self.guard(at, False, before))
            elif other_leaves:
                self.guards = (*guards, self.guard(at, True, before))
                self.env, self.held = after, held_after
            else:
                if may:
                    self.guards = (*guards, Guard(at.condition, False, (), at, vague=True))
                self.env.join(after, self.tick())
                self.held = self.held & held_after
            other_leaves = leaves and other_leaves

    def guard(self, stmt: ast.If | ast.While | ast.For, holds: bool, env: Env) -> Guard:
        condition = stmt.condition
        assert condition is not None
        return Guard(condition, holds, facts_of(condition, holds, env.values), stmt)

    def switch(self, stmt: ast.Switch) -> None:
        self.value(stmt.condition)
        guards, before = self.guards, self.env.copy()
        self.guards = (*guards, Guard(stmt.condition, True, (), stmt, vague=True))
        self.env.forget(self.assigned(stmt.body), self.tick())
        items = stmt.body.items if isinstance(stmt.body, ast.Compound) else [stmt.body]
        left = True
        for i, item in enumerate(items):
            if isinstance(item, ast.Case):
                self.env.forget(self.assigned(stmt.body), self.tick())
                if left:
                    self.guards = (*guards, self.case(stmt, items[i:], before))
            self.statement(item)
            left = always_leaves(_labelled(item))
        self.env.forget(self.assigned(stmt.body), self.tick())
        self.guards = guards

    def case(self, stmt: ast.Switch, items: Sequence[Stmt | None], env: Env) -> Guard:
        """The condition of what stands before the first `break` in `items`."""
        labels: list[ast.Case] = []
        for item in items:
            labels += [n for n in walk_all(item) if isinstance(n, ast.Case)] if item is not None else []
            if len(labels) > 1 or always_leaves(_labelled(item)):
                break
        value = labels[0].value
        if len(labels) > 1 or value is None or labels[0].high is not None:
            return Guard(stmt.condition, True, (), stmt, labels[0], vague=True)
        is_value = ast.Binary(value.span, "==", stmt.condition, value, type=INT)
        return Guard(is_value, True, facts_of(is_value, True, env.values), stmt, labels[0])

    def repeated(self, stmt: ast.While | ast.DoWhile) -> None:
        loops, guards = self.loops, self.guards
        self.env.forget(self.assigned(stmt), self.tick())
        if isinstance(stmt, ast.DoWhile) and fold(stmt.condition) == 0:
            self.statement(stmt.body)  # `do { … } while (0)` is no loop
            self.guards = guards
            return
        self.loops = (*loops, LoopRange(None, None, None, 0, stmt))
        if _spins(stmt):
            self.wait()
        if isinstance(stmt, ast.While):
            self.value(stmt.condition)
            if not fold(stmt.condition):
                self.guards = (*guards, Guard(stmt.condition, True, (), stmt))
        self.body(stmt.body)
        if isinstance(stmt, ast.DoWhile):
            self.value(stmt.condition)
        self.env.forget(self.assigned(stmt), self.tick())
        self.loops, self.guards = loops, guards

    def counted(self, stmt: ast.For) -> None:
        loops, guards = self.loops, self.guards
        before = self.env.copy()
        self.statement(stmt.init)
        changed: set[Symbol] = set().union(*(self.assigned(n) for n in (stmt.condition, stmt.step, stmt.body) if n))
        self.env.forget(changed, self.tick())
        values, at_start = self.env.values, before.values
        found = loop_range(stmt, values, at_start) or uneven_range(stmt, values, at_start)
        if found is not None and (found.symbol is None or found.symbol in self.assigned(stmt.body)):
            found = None
        if found is not None and found.symbol is not None:
            self.env.rename(found.symbol, self.tick())
        self.loops = (*loops, found or LoopRange(None, None, None, 0, stmt))
        self.value(stmt.condition)
        self.body(stmt.body)
        self.value(stmt.step)
        self.env.forget(changed, self.tick())
        self.loops, self.guards = loops, guards

    def body(self, body: Stmt) -> None:
        """The body of a loop; of one that leaves a pointer at what another one points to (`old = new`, and no third one
        that changes places with them) the next iteration, in which both are the same."""
        start, declared = self.order, set(self.declared)
        lists: tuple[list[object], ...] = (self.accesses, self.syncs, self.waits, self.locks, self.meets)  # type: ignore[assignment]
        lengths = [len(found) for found in lists]
        self.statement(body)
        if self.repeats or self.directives or not any(isinstance(n, ast.DirectiveStmt) for n in walk_all(body)):
            return
        changed = self.assigned(body)
        met = {p: self.env.pointers[p] for p in changed - (self.declared.keys() - declared) if p in self.env.pointers}
        turning = {loop.symbol for loop in self.loops} | changed  # what they choose is another one next time
        same = {
            p: t
            for p, t in met.items()
            if t.sure and t.since <= start and t.symbol not in changed
            and all(s is not None and turning.isdisjoint(s.symbols()) for s in t.subscripts)
        }  # fmt: skip
        if not same:
            return
        for found, length in zip(lists, lengths, strict=True):
            del found[length:]
        self.env.forget(changed, self.tick())
        self.env.pointers.update(same)
        self.repeats = True
        self.statement(body)
        self.repeats = False

    # --- directives

    def directive(self, stmt: ast.DirectiveStmt) -> None:
        directive = stmt.directive
        for clause in directive.clauses:
            for arg in clause.args:
                self.value(arg)
            reads, _ = PRIVATISING.get(clause.name, (False, False))
            for item in clause.items if reads else ():
                self.emit(place_of(item.expr, self.env), item.expr, True, False, clause=clause.name)
        if directive.name in ("barrier", "taskwait"):
            self.sync("barrier" if directive.name == "barrier" else "taskwait", stmt)
        if stmt.body is None:
            return
        saved = self.guards, self.held, self.atomic
        single = alone(directive, self.env.values)
        self.env.forget(self.assigned(stmt.body), self.tick())
        self.env.forget(started_anew(directive, stmt.body), self.tick())
        self.private.append(private_in(stmt, self.directives, self.owner))
        self.sections.append(private_targets(directive))
        self.directives = (*self.directives, stmt)
        self.protect(stmt)
        start = self.order, len(self.loops), len(self.guards), single
        self.statement(stmt.body)
        self.starts[stmt] = Start(*start, end=self.order)
        self.directives = self.directives[:-1]
        self.private.pop()
        self.sections.pop()
        self.guards, self.held, self.atomic = saved
        self.env.forget(self.assigned(stmt.body), self.tick())
        for clause in directive.clauses:
            _, writes = PRIVATISING.get(clause.name, (False, False))
            for item in clause.items if writes else ():
                self.emit(place_of(item.expr, self.env), item.expr, False, True, clause=clause.name)
        if directive.clause("nowait") is None and _WAITS_AT_END & set(directive.constructs):
            self.sync("end", stmt)

    def protect(self, stmt: ast.DirectiveStmt) -> None:
        directive = stmt.directive
        if directive.name == "critical":
            name = directive.args[0].text if directive.args else ""
            self.held = self.held | {("critical", name)}
        elif directive.name == "atomic":
            places = [place_of(target, self.env) for target in atomic_targets(stmt)]
            self.atomic = tuple([p for p in places if p is not None])

    def sync(self, kind: str, stmt: ast.DirectiveStmt) -> None:
        self.order += 1
        self.syncs.append(Sync(kind, stmt, self.order, self.loops, self.guards, self.directives))  # type: ignore[arg-type]


def walk_of(
    node: Node, functions: Mapping[str, Content], env: Env | None = None, summaries: Summaries | None = None
) -> Walk:
    """What a walk over `node` finds; values are named by the change that made them (see `settled`)."""
    w = Walker(functions, env, summaries)
    w.run(node)
    threads = min(w.threads, default=0)
    return Walk(
        w.accesses, w.declared, w.syncs, w.starts, w.waits, w.locks, w.meets, w.touched, w.held, w.given, threads
    )


def _walk_of(function: ast.FunctionDef, summaries: Summaries) -> Walk:
    return walk_of(function, summaries.functions, None, summaries)


def _parts(stmt: Stmt) -> Iterator[Node]:
    """What a statement is made of, the clauses of its directive included."""
    if isinstance(stmt, ast.DirectiveStmt):
        for clause in stmt.directive.clauses:
            yield from (item.expr for item in clause.items)
            yield from clause.args
    yield from stmt.children()


def atomic_targets(stmt: ast.DirectiveStmt) -> list[Expr]:
    """The lvalue that an `atomic` directive makes atomic (5.2 §15.8.4); of `compare` also what it is compared with."""
    kinds = {c.name for c in stmt.directive.clauses}
    nodes = list(stmt.body.walk()) if stmt.body is not None else []
    assigns = [
        n for n in nodes if isinstance(n, ast.Assign) or (isinstance(n, ast.Unary) and n.op in ("++", "--"))
    ]  # fmt: skip
    if not assigns:
        return []
    first = assigns[0]
    if "compare" in kinds:
        compared = [n for n in nodes if isinstance(n, ast.Binary) and n.op in ("==", "<", ">")]
        return [side for n in compared for side in (bare(n.left), bare(n.right))]
    if "read" in kinds and isinstance(first, ast.Assign):
        return [first.value]
    if "capture" in kinds:
        # `v = x++`, `{ v = x; x += e; }`: x is what is updated, not v.
        updates = [n for n in assigns if isinstance(n, ast.Unary) or n.op != "="]
        first = updates[0] if updates else assigns[-1]
    return [first.operand if isinstance(first, ast.Unary) else first.target]


def always_leaves(stmt: Stmt | None) -> bool:
    """Whether what follows `stmt` is never reached from it."""
    while isinstance(stmt, (ast.Compound, ast.If)):
        if isinstance(stmt, ast.If) and not always_leaves(stmt.then):
            return False
        stmt = stmt.otherwise if isinstance(stmt, ast.If) else stmt.items[-1] if stmt.items else None
    if isinstance(stmt, ast.Jump):
        return True
    expr = bare(stmt.expr) if isinstance(stmt, ast.ExprStmt) and stmt.expr is not None else None
    return isinstance(expr, ast.Call) and isinstance(expr.function, ast.Name) and expr.function.name in NO_RETURN


def _labelled(stmt: Stmt | None) -> Stmt | None:
    """The statement behind the labels of a `switch`."""
    body: Stmt | None = stmt
    while isinstance(body, ast.Case):
        body = body.body
    return body


def _spins(stmt: ast.While | ast.DoWhile) -> bool:
    """Whether a loop may wait for what another thread writes: it does nothing, or synchronises in its body."""
    body = stmt.body
    if (isinstance(body, ast.ExprStmt) and body.expr is None) or (isinstance(body, ast.Compound) and not body.items):
        return True
    return any(isinstance(n, ast.DirectiveStmt) and n.directive.name in _WAITING for n in body.walk())


def may_leave(stmt: Stmt) -> bool:
    """Whether a jump in `stmt` may skip what follows."""
    waiting: list[Node] = [stmt]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Jump):
            return True
        if not isinstance(node, (Expr, ast.For, ast.While, ast.DoWhile, ast.Switch)):
            waiting.extend(node.children())
    return False
