"""Which `taskgraph`s are recorded, and where their tasks find their variables in a replay (OpenMP 6.0 §14.3).

A replay runs the tasks, not the code around them.  So that code may do nothing but choose tasks: it changes its own
variables only, and calls nothing.  What is not understood here is not recorded: it runs as a `taskgroup`, which is
right, only slower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by, changed_by
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Symbol
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Integer, Pointer, Record, held
from ompls.analysis.model.grouped import groups_tasks
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.peel import bare
from ompls.analysis.model.sema import FUNCTION_NAMES
from ompls.analysis.model.tu import TU, Item, Region
from ompls.translate.ctext import Types, is_const, is_unknown, is_vla, words
from ompls.translate.definitions import definitions, quieted
from ompls.translate.hosttasks import is_deferred
from ompls.translate.sharing import implicit_copies, is_automatic
from ompls.translate.uses import clause_exprs, declared_in, everything, modified_in, names_in, root_symbol

_GRAPH_CLAUSES = frozenset(("graph_id", "graph_reset", "if", "nogroup"))
_TASK_CLAUSES = frozenset((
    "depend", "firstprivate", "private", "shared", "default", "untied", "mergeable", "priority", "affinity",
    "replayable",
))  # fmt: skip
# Not `device` and `if`: a replay is on the default device.
_TARGET_CLAUSES = frozenset((
    "map", "firstprivate", "private", "lastprivate", "shared", "reduction", "defaultmap", "nowait", "depend",
    "replayable", "num_teams", "thread_limit", "num_threads", "schedule", "dist_schedule", "collapse", "order",
    "proc_bind", "simdlen", "safelen", "is_device_ptr", "has_device_addr",
))  # fmt: skip
_INSIDE = frozenset(("atomic", "critical"))  # of the constructs in a task: those that work on the variables as they are
# What makes the function's text more than its tree says: another layout, or names that only hold there.
_ODD_WORDS = frozenset((
    "typeof", "__typeof__", "__typeof", "_Alignas", "alignas", "aligned", "__aligned__", "cleanup", "__cleanup__",
    "register", "asm", "__asm__", "__asm", "va_list", "typedef",
    "__label__", "__auto_type", "vector_size", "__vector_size__",
))  # fmt: skip
_MOST = 16384  # bytes of a copy, which lies on the stack
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)")


@dataclass(frozen=True)
class Node:
    """A construct whose tasks are recorded.

    saved   -- variables whose values the record keeps
    copied  -- variables of outside, by their values when the `taskgraph` is met
    shared  -- variables of outside themselves
    private -- new ones, without a value
    replayed -- False: it runs when it is recorded, and never again
    """

    stmt: DirectiveStmt
    saved: tuple[Symbol, ...] = ()
    copied: tuple[Symbol, ...] = ()
    shared: tuple[Symbol, ...] = ()
    private: tuple[Symbol, ...] = ()
    replayed: bool = True


@dataclass
class Graph:
    """nodes, waits -- its tasks, and its `taskwait`s, by the id of the statement
    frame -- the variables of outside that its tasks use: (variable, whether a copy is meant)
    """

    stmt: DirectiveStmt
    nodes: dict[int, Node] = field(default_factory=dict)
    waits: set[int] = field(default_factory=set)
    frame: list[tuple[Symbol, bool]] = field(default_factory=list)


class _NotRecorded(Exception):
    """It stays a `taskgroup`."""


def graph_of(tu: TU, item: Item, stmt: DirectiveStmt) -> Graph | None:
    """What is recorded of a `taskgraph`; None: nothing."""
    try:
        return _Reader(tu, item, stmt).read()
    except _NotRecorded:
        return None


def _need(holds: object) -> None:
    if not holds:
        raise _NotRecorded


class _Reader:
    def __init__(self, tu: TU, item: Item, stmt: DirectiveStmt) -> None:
        self.tu, self.item, self.stmt = tu, item, stmt
        self.types = Types(tu)
        self.graph = Graph(stmt)
        self.own: set[Symbol] = set()
        self.words: set[str] = set()  # of what stands in another place when it is replayed

    def read(self) -> Graph:
        d, function, body = self.stmt.directive, self.item.content.node, self.stmt.body
        _need(isinstance(function, FunctionDef) and body is not None and groups_tasks(d))
        assert isinstance(function, FunctionDef)
        assert body is not None
        _need(all(c.name in _GRAPH_CLAUSES and not c.broken for c in d.clauses))
        _need(not self._on_devices(function))
        text = self.item.content.text
        _need(not words(decoded(text)) & _ODD_WORDS and next(definitions(quieted(text)), None) is None)
        around = [s for s in self.item.content.directives if s.span.start < self.stmt.span.start < s.span.end]
        _need(not any(s.directive.name == "taskgraph" for s in around))  # in another one it is a taskgroup
        _need(
            not any(
                x.has("target") or x.all("use_device_ptr", "use_device_addr") for x in (s.directive for s in around)
            )
        )
        self.implicit = implicit_copies(function)
        constructs = list(self._choosing(body))
        for construct in constructs:
            self._construct(construct)
        _need(any(n.replayed for n in self.graph.nodes.values()))
        self._fill_frame()
        _need(not self.words & _macros(self.tu))
        return self.graph

    def _on_devices(self, function: FunctionDef) -> bool:
        """Whether kernels may call it: there a `taskgraph` is a `taskgroup`."""
        if function.symbol.declare_target:
            return True
        bodies = {i.content.node.symbol.name: i for i in self.tu.items if isinstance(i.content.node, FunctionDef)}
        waiting = [s.name for i in self.tu.items for r in i.content.regions for s in r.calls]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in bodies and name not in seen:
                seen.add(name)
                waiting += [s.name for s in bodies[name].content.calls]
        return function.symbol.name in seen

    # --- the code that chooses tasks -------------------------------------------------------------------------------

    def _choosing(self, body: ast.Stmt) -> Iterator[DirectiveStmt]:
        """The constructs that it meets."""
        changed: list[ast.Expr] = []
        for n in ast.walk_down_to(body, lambda n: isinstance(n, DirectiveStmt)):
            if isinstance(n, DirectiveStmt):
                yield n
                continue
            _need(not isinstance(n, (ast.Call, ast.OtherStmt, ast.OtherExpr, ast.Labeled, ast.StatementExpr)))
            _need(not isinstance(n, ast.Jump) or n.kind in ("break", "continue"))
            if isinstance(n, ast.VarDecl):
                _need(is_automatic(n.symbol) and not is_vla(n.symbol.type))
                self.own.add(n.symbol)
            if isinstance(n, ast.Name):
                _need(n.symbol is not None)
            target = changed_by(n)
            changed += [target] if target is not None else []
        _need(all(root_symbol(e) in self.own for e in changed))

    def _construct(self, stmt: DirectiveStmt) -> None:
        d = stmt.directive
        exprs = (*clause_exprs(d), *(e for c in d.clauses for e in c.within))
        for n in (n for e in exprs for n in e.walk()):  # of a replay nobody asks for their values
            _need(not isinstance(n, (ast.Call, ast.OtherExpr, ast.StatementExpr)) and assigned_by(n) is None)
        region = next((r for r in self.item.content.regions if r.stmt is stmt), None)
        if d.name == "taskwait":
            _need(not d.clauses)
            self.graph.waits.add(id(stmt))
        elif region is not None:
            self.graph.nodes[id(stmt)] = self._target(region)
        else:
            _need(d.name == "task" and stmt.body is not None and d.known)
            self.graph.nodes[id(stmt)] = self._task(stmt)

    # --- a task ------------------------------------------------------------------------------------------------------

    def _task(self, stmt: DirectiveStmt) -> Node:
        d, body = stmt.directive, stmt.body
        assert body is not None
        _need(all(c.name in _TASK_CLAUSES and not c.broken for c in d.clauses))
        self._check_body(body)
        listed = {
            s: (c.name, "saved" in c.modifiers)
            for c in d.all("firstprivate", "private", "shared") for i in c.items if (s := _variable(i.expr)) is not None
        }  # fmt: skip
        copies = self.implicit.get(id(stmt))
        kinds: dict[str, list[Symbol]] = {}
        inside = declared_in(body)
        for s in dict.fromkeys(n.symbol for n in names_in(body)):
            if s is None or s in inside or s.kind not in ("var", "param"):
                continue
            clause, saved = listed.get(s, ("", False))
            if not clause:
                clause = copies.kind if copies is not None and s in copies.symbols else "shared"
            if s.level == "file" and clause == "shared":
                continue
            kinds.setdefault(self._place(s, clause, saved), []).append(s)
        self.words |= words(self.tu.text(self.item, body.span))
        return _node(stmt, kinds)

    # --- a target region ---------------------------------------------------------------------------------------------

    def _target(self, region: Region) -> Node:
        """What fills the arguments of its launch needs: for that the construct's own names are enough."""
        d, stmt = region.directive, region.stmt
        _need(is_deferred(d) and stmt.body is not None and not region.tainted and not self._has_mappers())
        assert stmt.body is not None
        _need(all(c.name in _TARGET_CLAUSES and not c.broken and not c.within for c in d.clauses))
        saved = {_variable(i.expr) for c in d.all("firstprivate") if "saved" in c.modifiers for i in c.items}
        kinds: dict[str, list[Symbol]] = {}
        inside = declared_in(stmt.body)
        for s in dict.fromkeys(names_in_stmt(stmt)):
            if s in inside or s.kind not in ("var", "param"):
                continue
            clause = _sharing(region, s)
            if s.level != "file" or clause == "firstprivate":
                _need(clause != "shared" or s.name not in self.tu.tags)
                kinds.setdefault(self._place(s, clause, s in saved), []).append(s)
        return _node(stmt, kinds)

    def _has_mappers(self) -> bool:
        inside = (s.directive for i in self.tu.items for s in i.content.directives)
        return any(d.name == "declare mapper" for d in (*(f.directive for f in self.tu.directives), *inside))

    # --- variables ----------------------------------------------------------------------------------------------

    def _place(self, s: Symbol, clause: str, saved: bool) -> str:
        """Where the task finds the variable."""
        _need(s.storage in ("", "auto") or s.level == "file")
        self._check_type(s.type, copied=clause != "shared")
        if clause == "private":
            return "private"
        if s not in self.own:
            return "shared" if clause == "shared" else "saved" if saved else "copied"
        # A pointer of the record may lead to what is gone in a replay, unless the user says that it does not.
        _need(clause == "firstprivate" and (saved or isinstance(s.type, (Integer, Floating, Enum))))
        return "saved"

    def _check_body(self, body: ast.Stmt) -> None:
        for n in everything(body):
            _need(not isinstance(n, (ast.OtherStmt, ast.OtherExpr)))
            if isinstance(n, DirectiveStmt):
                _need(n.directive.name in _INSIDE)
            elif isinstance(n, ast.VarDecl):
                _need(is_automatic(n.symbol))
                self._check_type(n.symbol.type, copied=False)
            elif isinstance(n, ast.Name) and n.symbol is None:
                _need(n.name in FUNCTION_NAMES or n.name.startswith("__builtin_"))
            elif isinstance(n, ast.Name) and n.symbol is not None and n.symbol.level != "file":
                _need(n.symbol.kind in ("var", "param") and n.symbol.storage in ("", "auto"))

    def _check_type(self, t: CType, *, copied: bool) -> None:
        _need(not is_vla(t) and not is_unknown(t) and sizeof(t, self.tu.model) is not None)
        size = sizeof(t, self.tu.model) or 0
        _need(not copied or (size <= _MOST and not (isinstance(t, Array) and is_const(t))))
        _need(not copied or not any("_Atomic" in part.quals for part in held(t)))
        base = t
        while isinstance(base, (Array, Pointer)):
            base = base.of if isinstance(base, Array) else base.to
        _need(not isinstance(base, (Record, Enum)) or (self.types.has_name(base) and not self.types.is_local(base)))
        self.words |= words(self.types.c(t))

    # --- the variables of outside --------------------------------------------------------------------------------

    def _changed(self, node: Node) -> set[Symbol]:
        """Which variables of outside a task may change."""
        region = next((r for r in self.item.content.regions if r.stmt is node.stmt), None)
        if region is None:
            return {*node.shared} & modified_in(node.stmt)
        return {s for s in node.shared if not _is_base(region, s)}

    def _fill_frame(self) -> None:
        """Not where one task changes the variable itself, and another one has a copy: that may be made in between."""
        nodes = [n for n in self.graph.nodes.values() if n.replayed]
        shared = {s for n in nodes for s in n.shared}
        copied = {s for n in nodes for s in n.copied}
        _need(not any(self._changed(n) & copied for n in nodes))
        _need(all(s.level != "file" or is_const(s.type) or _alone(s, nodes) for s in copied))
        self.graph.frame = [(s, False) for s in _sorted(shared)] + [(s, True) for s in _sorted(copied)]
        names = {s.name for n in nodes for s in (*n.saved, *n.copied, *n.private)}
        of_types = (words(self.types.c(s.type)) for n in nodes for s in (*n.saved, *n.copied, *n.shared, *n.private))
        _need(not any(names & found for found in of_types))


def _node(stmt: DirectiveStmt, kinds: dict[str, list[Symbol]]) -> Node:
    saved, copied, shared, private = (tuple(kinds.get(k, ())) for k in ("saved", "copied", "shared", "private"))
    return Node(stmt, saved, copied, shared, private, replayed(stmt.directive))


def names_in_stmt(stmt: DirectiveStmt) -> Iterator[Symbol]:
    return (n.symbol for n in names_in(stmt) if n.symbol is not None)


def _alone(s: Symbol, nodes: list[Node]) -> bool:
    """Whether all tasks that use a variable of the file have copies of it."""
    return all(s in n.copied for n in nodes if s in names_in_stmt(n.stmt))


def _sorted(symbols: set[Symbol]) -> list[Symbol]:
    return sorted(symbols, key=lambda s: (s.span.start if s.span is not None else -1, s.name))


def _variable(e: ast.Expr) -> Symbol | None:
    e = bare(e)
    return e.symbol if isinstance(e, ast.Name) else None


def _sharing(region: Region, s: Symbol) -> str:
    """How what fills the arguments uses a variable: a copy of it, or the variable itself (`shared`)."""
    v = region.variable(s)
    if v is None:  # only clauses name it
        return "firstprivate" if s.level != "file" else "shared"
    return v.sharing if v.sharing in ("firstprivate", "private") else "shared"


def _is_base(region: Region, s: Symbol) -> bool:
    """Whether a region uses nothing of a pointer but what it points to."""
    v = region.variable(s)
    whole = v is None or any(m.item is not None and _variable(m.item.expr) is s for m in v.maps)
    return isinstance(s.type, Pointer) and not whole


def is_of_graph(c: Clause) -> bool:
    """Whether a task's clause says how it is recorded; compilers do not know it."""
    return c.name == "replayable" or "saved" in c.modifiers


def replayed(d: Directive) -> bool:
    """Whether a construct in a graph is replayable."""
    clause = d.clause("replayable")
    if clause is None or not clause.args:
        return True
    value = fold(clause.args[0])
    _need(value is not None)
    return bool(value)


def _macros(tu: TU) -> set[str]:
    """The names that the file and its headers give to macros: they would change what is written in another place."""
    texts = (tu.source, *(text for _, text in tu.headers.values()))
    return {decoded(m[1]) for text in texts for m in _DEFINE.finditer(text)}
