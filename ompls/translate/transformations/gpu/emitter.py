"""The state of one function's translation to CUDA C++, and the table of its transformations.

A transformation is a function registered for the first leaf construct of a directive: it replaces the statement
of a `DirectiveStmt` in the emitter's rewriter and goes on with the body.  Adding a construct is adding an entry.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Literal

from ompls.analysis.dataenv.lockwaits import polls, stretches, unreleased
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span, Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Array, CType, Pointer, Void
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, Item
from ompls.translate.ctext import Types
from ompls.translate.macros import Macros
from ompls.translate.plan import RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part, Rewriter, joined
from ompls.translate.sharing import Copies
from ompls.translate.transformations.gpu.locks import Joined
from ompls.translate.uses import leaves, listed, privatised

# Which threads run the code that is being translated:
#   master   -- one thread of each team (a generic kernel outside parallel regions, a kernel of one thread a team)
#   parallel -- all threads of a parallel region
#   function -- a device function: whoever calls it
Level = Literal["master", "parallel", "function"]


@dataclass
class Emitter:
    """What transformations share.

    plan        -- of the region; None in a device function
    references  -- variables that are C++ references here: captured by reference, whatever the level
    team_shared -- variables of the sequential part that live in shared memory because a parallel region uses them
    on_heap     -- variables of a device function that parallel regions are led to by a pointer
    parallel    -- functions with parallel regions
    locks       -- names of the file's critical constructs
    operators   -- (combiner, initializer) of the file's `declare reduction` -> the name of the class that stands for it
    """

    tu: TU
    item: Item
    rw: Rewriter
    types: Types
    plan: RegionPlan | None = None
    references: set[Symbol] = field(default_factory=set)
    team_shared: set[Symbol] = field(default_factory=set)
    on_heap: set[Symbol] = field(default_factory=set)
    parallel: Collection[str] = ()
    locks: set[str] = field(default_factory=set)
    operators: dict[tuple[str, str], str] = field(default_factory=dict)
    macros: Macros | None = None
    crossed: set[int] = field(default_factory=set)  # id of declarations that a jump may pass
    dims: dict[Symbol, list[str]] = field(default_factory=dict)  # of arrays of variable length, as `Dialect` knows them
    outer: dict[Symbol, str] = field(default_factory=dict)  # and their outermost lengths
    copies: dict[int, Copies] = field(default_factory=dict)  # id of a directive -> what it copies unasked
    joined: Joined = field(default_factory=Joined)  # waits for locks
    unreleased: dict[int, str] = field(default_factory=dict)  # id of calls that ask for a lock -> what is wrong
    returns: CType | None = None  # what the device function returns
    parts: frozenset[Symbol] = frozenset()  # arrays whose name is a pointer to a reduction's part of a section here
    gathered: int = 0  # bytes of shared memory in which teams add arrays up
    scope: set[Symbol] = field(default_factory=set)  # declared inside the parallel regions around this point

    def text(self, e: ast.Expr) -> str:
        """`e` as it stands in the kernel."""
        return self.rw.string(e.span).strip()

    def written(self, e: ast.Expr) -> str:
        """The same with the user's macros, for text that is written only.  A word of it is an operand."""
        chunks = self.rw.render(e.span)
        return (self.macros.operand(self.item, chunks) if self.macros else joined(chunks)).strip()

    def cxx(self, t: CType, name: str = "") -> str:
        return self.types.cxx(unqualified(t), name)

    def reference(self, t: CType, name: str) -> str:
        return self.types.reference(unqualified(t), name)

    def names_copied(self, d: Directive) -> set[str]:
        """Names of variables of which `d` makes copies."""
        implicit = self.copies[id(d)].symbols if id(d) in self.copies else ()
        return {s.name for s in privatised(d) | set(implicit)}

    def replace(self, span: Span, *parts: Part) -> None:
        self.rw.replace(span, *parts)

    def visit(self, node: ast.Node | None, level: Level) -> None:
        """Transform every directive in `node`, and the declarations that have to move to shared memory."""
        waiting = [node] if node is not None else []
        if node is not None and level != "master" and b"omp_test_" in self.item.content.text:
            self.unreleased |= unreleased(node, lambda span: self.tu.text(self.item, span))
        while waiting:
            node = waiting.pop()
            below = node.children()
            if isinstance(node, DirectiveStmt):
                self.transform(node, level)
                continue
            if isinstance(node, ast.Compound):
                self.crossed |= crossed_by_jumps(node)
                self._locks(node)
            elif isinstance(node, ast.Jump) and (left := self.joined.jump(node)):
                self.replace(node.span, *left)
            elif isinstance(node, ast.StatementExpr):
                self._statement_expression(node)
            if level != "master":  # where one thread runs, no lane of its warp waits with it
                self._other_waits(node)
            if isinstance(node, ast.DeclStmt) and self._moves(node):
                self.replace(node.span, *self._apart(node))
            elif isinstance(node, ast.For) and isinstance(node.init, ast.DeclStmt) and self._moves(node.init):
                self.replace(node.span, "{\n", *self._apart(node.init), node.span, "\n}")
                self.replace(node.init.span, ";")
                below = [node.body]
            waiting += reversed(below)

    def transform(self, stmt: DirectiveStmt, level: Level) -> None:
        d = stmt.directive
        entry = TRANSFORMATIONS.get(d.constructs[0]) or TRANSFORMATIONS.get(d.name)
        if entry is None:
            raise Problem(d.name_span, f"'{d.name}'", "the GPU transformation set has no entry for it")
        for c in d.clauses:
            if c.broken:
                raise Problem(c.span, f"the clause '{c.name}'", c.broken)
        outer = self.parts
        self.parts -= listed([d], "private", "firstprivate", "lastprivate", "linear")
        entry(self, stmt, level)
        self.parts = outer

    def _locks(self, block: ast.Compound) -> None:
        t = self.returns
        result = "" if t is None or isinstance(t, Void) else f"{self.cxx(t, 'ompls_result')};"
        for stretch in stretches(block, lambda span: self.tu.text(self.item, span)):
            for span, parts in self.joined.edits(stretch, result):
                self.replace(span, *parts)

    def _other_waits(self, node: ast.Node) -> None:
        for call, why in self.joined.left(node):
            self._unjoined(call, why)
        if isinstance(node, ast.Call) and id(node) in self.unreleased:
            self._unjoined(node, self.unreleased[id(node)])
        if isinstance(node, (ast.While, ast.DoWhile, ast.For)) and node.condition is not None and polls(node):
            self.replace(node.condition.span, "ompls_unknown(", node.condition.span, ")")

    def _unjoined(self, call: ast.Call, why: str) -> None:
        self.replace(call.span, "OMPLS_UNJOINED(", call.function.span, ", ", call.args[0].span, f', "{why}")')

    def _statement_expression(self, node: ast.StatementExpr) -> None:
        """GNU C's `({ …; v; })` as a function that is called: not every compiler of CUDA has it."""
        items = node.body.items
        if any(leaves(s) for s in items):
            raise Problem(node.span, "this statement expression", "a jump leaves it")
        last = items[-1] if items else None
        if isinstance(last, ast.ExprStmt) and last.expr is not None:
            self.replace(last.span, "return ", last.expr.span, ";")
        self.replace(node.span, "[&] ", node.body.span, "()")

    def _moves(self, node: ast.DeclStmt) -> bool:
        return id(node) in self.crossed or any(d.symbol in self.team_shared | self.on_heap for d in node.decls)

    def _apart(self, node: ast.DeclStmt) -> list[Part]:
        """`T x = v;` as `T x; x = v;`, in shared memory where it has to be: workers cannot see the master's stack."""
        parts: list[Part] = []
        for d in node.decls:
            name, t = d.symbol.name, assignable(d.symbol.type)
            if d.symbol.kind != "var" or d.symbol.storage in ("static", "extern"):
                self._unmovable(d)
            if d.symbol in self.on_heap:
                if id(node) in self.crossed:
                    self._unmovable(d)
                parts.append("// parallel regions reach it by its address: not on one thread's stack\n")
                parts.append(self.on_the_heap(d.symbol))
            elif d.symbol in self.team_shared:
                parts.append(
                    f"__shared__ {self.cxx(t, name)};  // not on the master's stack: this team's threads reach it\n"
                )
            else:
                parts.append(f"{self.cxx(t, name)};\n")
            if d.init is not None:
                parts += self.assigned(d)
        return parts

    def on_the_heap(self, s: Symbol) -> str:
        """The declaration of `s` as a reference to a place on the device's heap."""
        t = assignable(s.type)
        reference = self.reference(t, s.name)
        return f"const ompls_room<{self.cxx(t)}> ompls_room_{s.name}(1);\n{reference} = *ompls_room_{s.name}.begin;\n"

    def assigned(self, d: ast.VarDecl) -> list[Part]:
        """The statements that give a variable the value of its initializer."""
        assert d.init is not None
        name, t = d.symbol.name, assignable(d.symbol.type)
        if not isinstance(d.init, ast.InitList) and not isinstance(t, Array):
            return [f"{name} = ", d.init.span, ";\n"]
        whole = self.cxx(t, "ompls_init")
        inner = t
        while isinstance(inner, Array):
            inner = inner.of
        if not isinstance(inner, Pointer):  # else it would be what the pointers point to
            whole = f"const {whole}"
        return [f"{{\n{whole} = ", d.init.span, f";\nmemcpy(&{name}, &ompls_init, sizeof {name});\n}}\n"]

    def _unmovable(self, d: ast.VarDecl) -> None:
        raise Problem(d.span, f"the declaration of '{d.symbol.name}' here", "a jump in the region passes it")


def assignable(t: CType) -> CType:
    """`t` without const, also that of an array's elements."""
    return replace(t, of=assignable(t.of)) if isinstance(t, Array) else unqualified(t)


def crossed_by_jumps(block: ast.Compound) -> set[int]:
    """Declarations with initializers that a label or a case comes after: C may jump over them, C++ may not."""
    out: set[int] = set()
    entered = False
    for item in reversed(block.items):
        inner_: ast.Stmt | None = item
        while isinstance(inner_, (ast.Case, ast.Labeled)):
            inner_ = inner_.body
        if (
            entered
            and isinstance(inner_, ast.DeclStmt)
            and any(
                d.init is not None and d.symbol.kind == "var" and d.symbol.storage != "static" for d in inner_.decls
            )
        ):
            out.add(id(inner_))
        entered = entered or _entered(item)
    return out


def _entered(node: ast.Node) -> bool:
    """Whether control may jump into `node` from outside of it."""
    for n in ast.walk_down_to(node, lambda n: isinstance(n, (ast.Switch, ast.Expr))):
        if isinstance(n, (ast.Labeled, ast.Case)):
            return True
        if isinstance(n, ast.Switch) and any(isinstance(m, ast.Labeled) for m in n.walk()):
            return True  # its cases are its own; its labels are not
    return False


Transformation = Callable[[Emitter, DirectiveStmt, Level], None]
TRANSFORMATIONS: dict[str, Transformation] = {}


def transformation(*leaves: str) -> Callable[[Transformation], Transformation]:
    """Register the transformation of directives that begin with one of these leaf constructs."""

    def register(f: Transformation) -> Transformation:
        TRANSFORMATIONS.update(dict.fromkeys(leaves, f))
        return f

    return register


def inner(body: ast.Stmt | None, taken: Collection[str] = ()) -> Span:
    """What stands between the braces of a compound statement; any other statement as a whole.

    With its braces when it declares one of the names that are `taken` in the block that it is to stand in.
    """
    if body is None:
        return Span(0, 0)
    if isinstance(body, ast.Compound):
        declared = {d.symbol.name for i in body.items if isinstance(i, ast.DeclStmt) for d in i.decls}
        if declared.isdisjoint(taken):
            return Span(body.span.start + 1, body.span.end - 1)
    return body.span
