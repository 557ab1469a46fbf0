"""The state of one function's translation to CUDA C++, and the table of its transformations.

A transformation is a function registered for the first leaf construct of a directive: it replaces the statement
of a `DirectiveStmt` in the emitter's rewriter and goes on with the body.  Adding a construct is adding an entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span, Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import CType
from ompls.analysis.model.tu import TU, Item
from ompls.translate.ctext import Types
from ompls.translate.plan import RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part, Rewriter

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
    locks       -- names of the file's critical constructs
    """

    tu: TU
    item: Item
    rw: Rewriter
    types: Types
    plan: RegionPlan | None = None
    references: set[Symbol] = field(default_factory=set)
    team_shared: set[Symbol] = field(default_factory=set)
    locks: set[str] = field(default_factory=set)
    scope: set[Symbol] = field(default_factory=set)  # declared inside the parallel regions around this point

    def text(self, e: ast.Expr) -> str:
        """`e` as it stands in the kernel."""
        return self.rw.string(e.span).strip()

    def cxx(self, t: CType, name: str = "") -> str:
        return self.types.cxx(unqualified(t), name)

    def replace(self, span: Span, *parts: Part) -> None:
        self.rw.replace(span, *parts)

    def visit(self, node: ast.Node | None, level: Level) -> None:
        """Transform every directive in `node`, and the declarations that have to move to shared memory."""
        if node is None:
            return
        if isinstance(node, DirectiveStmt):
            self.transform(node, level)
            return
        if isinstance(node, ast.DeclStmt) and any(d.symbol in self.team_shared for d in node.decls):
            self._share(node)
        for child in node.children():
            self.visit(child, level)

    def transform(self, stmt: DirectiveStmt, level: Level) -> None:
        d = stmt.directive
        entry = TRANSFORMATIONS.get(d.constructs[0]) or TRANSFORMATIONS.get(d.name)
        if entry is None:
            raise Problem(d.name_span, f"'{d.name}'", "the GPU transformation set has no entry for it")
        for c in d.clauses:
            if c.broken:
                raise Problem(c.span, f"the clause '{c.name}'", c.broken)
        entry(self, stmt, level)

    def _share(self, node: ast.DeclStmt) -> None:
        """`T x = v;` becomes `__shared__ T x; x = v;`: workers cannot see the master's stack."""
        parts: list[Part] = ["// shared by this team's threads: not on the master's stack\n"]
        for d in node.decls:
            shared = d.symbol in self.team_shared
            parts.append(f"{'__shared__ ' if shared else ''}{self.cxx(d.symbol.type, d.symbol.name)}")
            if d.init is None or not shared:
                parts += [" = ", d.init.span, ";\n"] if d.init is not None else [";\n"]
            elif isinstance(d.init, ast.InitList):
                name = d.symbol.name
                parts += [f";\n{{\nconst {self.cxx(d.symbol.type, 'ompls_init')} = ", d.init.span,
                          f";\nmemcpy(&{name}, &ompls_init, sizeof {name});\n}}\n"]  # fmt: skip
            else:
                parts += [f";\n{d.symbol.name} = ", d.init.span, ";\n"]
        self.replace(node.span, *parts)


Transformation = Callable[[Emitter, DirectiveStmt, Level], None]
TRANSFORMATIONS: dict[str, Transformation] = {}


def transformation(*leaves: str) -> Callable[[Transformation], Transformation]:
    """Register the transformation of directives that begin with one of these leaf constructs."""

    def register(f: Transformation) -> Transformation:
        TRANSFORMATIONS.update(dict.fromkeys(leaves, f))
        return f

    return register


def inner(body: ast.Stmt | None) -> Span:
    """What stands between the braces of a compound statement; any other statement as a whole."""
    if body is None:
        return Span(0, 0)
    if isinstance(body, ast.Compound):
        return Span(body.span.start + 1, body.span.end - 1)
    return body.span
