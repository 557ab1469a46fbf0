"""Loop transformations (OpenMP 5.1 §2.11.9, 6.0 §11): the loops that `tile`, `unroll`, `reverse`, … stand for.

A transformation is lowered when the loops below it are plain ones, so nested transformations are lowered from the
inside out, a pass each.  What comes out are canonical, perfectly nested, rectangular loops again, which any directive
around may take; each counts normalised iterations, and the innermost body begins with the user's counters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Item
from ompls.translate.canonical import LOOP_CONSTRUCTS, loop_of, only
from ompls.translate.ctext import Types
from ompls.translate.loops import Loop, constant
from ompls.translate.lowering.round import Round, pragma, with_outer
from ompls.translate.problem import Problem

# What an `apply` clause calls the generated loops, in their order.
_GENERATED = {
    "tile": ("grid", "intratile"), "stripe": ("offsets", "grid"), "reverse": ("reversed",), "fuse": ("fused",),
    "interchange": ("interchanged",), "unroll": ("unrolled",), "split": ("split",),
}  # fmt: skip


@dataclass(frozen=True)
class _Made:
    """Generated loops, outermost first, as text, and what stands before the user's body (`after` it) inside of them."""

    loops: list[str]
    before: str
    after: str


def lower(work: Round) -> None:
    for item in work.items("transformations"):
        if any(s.directive.name in _GENERATED for s in item.content.directives):
            for node, outer in with_outer(item.content.node):
                if isinstance(node, DirectiveStmt) and node.directive.name in _GENERATED:
                    _Transformation(work, item, node, bool(outer) and _taken(item, node)).lower()


def _taken(item: Item, stmt: DirectiveStmt) -> bool:
    """Whether another directive takes the loops that `stmt` makes."""
    about_loops = LOOP_CONSTRUCTS | set(_GENERATED)
    return any(only(s.body) is stmt for s in item.content.directives
               if s.body is not None and about_loops & set(s.directive.constructs))  # fmt: skip


class _Transformation:
    """One directive with its loops.  `taken`: another directive stands around it."""

    def __init__(self, work: Round, item: Item, stmt: DirectiveStmt, taken: bool) -> None:
        self.work, self.item, self.stmt, self.taken = work, item, stmt, taken
        self.directive: Directive = stmt.directive
        self.types = Types(work.tu)
        self.types.learn(item.content.node)
        used = set(re.findall(r"__ompls_\w+?(\d+)_", work.text(item, stmt.span)))
        self.number = next(k for k in range(len(used) + 1) if str(k) not in used)

    def lower(self) -> None:
        d = self.directive
        try:
            if d.name == "fuse":
                self._fuse()
                return
            if d.name in ("unroll", "split") and not self.taken and not d.clause("apply"):
                self.work.replace(self.item, (d.span, ""))  # the same iterations in the same order
                return
            depth = self._depth()
            loops = self._loops(self.stmt.body, depth)
            if loops is None:
                return  # a transformation in there comes first
            made = _MAKERS[d.name](self, loops)
        except Problem as p:
            self.work.refuse(self.item, p.span or d.name_span, p.what, p.why)
            return
        body = loops[-1].stmt.body.span
        text = "".join(self._applied(made.loops))
        self.work.replace(
            self.item,
            (d.span, ""),
            (Span(d.span.end, body.start), f"{text}{{ {made.before}"),
            (Span(body.end, self.stmt.span.end), f"{made.after} }}"),
        )

    # --- the loops that it is about -------------------------------------------------------------------------------

    def _depth(self) -> int:
        d = self.directive
        if d.name in ("tile", "stripe"):
            return len(self._arguments("sizes"))
        if d.name == "interchange":
            return len(self._arguments("permutation")) or 2
        return 1

    def _arguments(self, name: str) -> tuple[ast.Expr, ...]:
        clause = self.directive.clause(name)
        return clause.args if clause else ()

    def _loops(self, body: ast.Stmt | None, depth: int) -> list[Loop] | None:
        """The next `depth` loops; None when a transformation has to make them first.  Raises Problem."""
        found: list[Loop] = []
        while len(found) < depth:
            below = only(body)
            if isinstance(below, DirectiveStmt) and below.directive.name in _GENERATED:
                return None
            if not isinstance(below, ast.For):
                where = below.span if below is not None else self.directive.name_span
                raise Problem(where, f"'{self.directive.name}'", f"it needs {depth} perfectly nested loops")
            loop = loop_of(below)
            self._check(loop, found)
            found.append(loop)
            body = below.body
        return found

    def _check(self, loop: Loop, outer: list[Loop]) -> None:
        counters = {x.symbol for x in outer}
        for e in (loop.lower, loop.bound, *([loop.step] if loop.step else [])):
            for n in e.walk():
                if isinstance(n, ast.Name) and n.symbol in counters:
                    why = "the bounds of a loop depend on an outer loop's counter"
                    raise Problem(e.span, f"'{self.directive.name}'", why)
                effect = isinstance(n, ast.Assign) or (isinstance(n, ast.Unary) and n.op in ("++", "--"))
                if effect or isinstance(n, ast.Call):
                    raise Problem(e.span, f"'{self.directive.name}'", "a loop's bounds call a function; do that before")

    # --- text -----------------------------------------------------------------------------------------------------

    def text(self, e: ast.Expr) -> str:
        text = self.work.text(self.item, e.span)
        return text if isinstance(e, (ast.Name, ast.IntLiteral, ast.Paren)) else f"({text})"

    def count(self, loop: Loop) -> str:
        step = loop.step_text(self.text(loop.step)) if loop.step else "1"
        lower, bound = loop.limits(self.text, self.types.c)
        return f"({loop.count(lower, bound, 'long long', step)})"

    def name(self, role: str, k: int = 0) -> str:
        return f"__ompls_{role}{self.number}_{k}"

    def counter(self, loop: Loop, index: str) -> str:
        """The declaration of the user's counter in normalised iteration `index`."""
        step = loop.step_text(self.text(loop.step)) if loop.step else "1"
        t = unqualified(loop.symbol.type)
        number = index if isinstance(t, Pointer) else f"({self.types.c(t)})({index})"
        value = f"{self.text(loop.lower)} {'+' if loop.up else '-'} {number} * {step}"
        return f"{self.types.c(t, loop.symbol.name)} = {value}; "

    def _applied(self, loops: list[str]) -> list[str]:
        """The loops with the directives of the `apply` clauses in front of them.  Raises Problem."""
        out = list(loops)
        groups = _GENERATED[self.directive.name]
        size = len(loops) // len(groups)
        for clause in self.directive.all("apply"):
            head, colon, rest = clause.text.partition(":")
            group = head.strip() if colon and head.strip() in groups else groups[0]
            at = groups.index(group) * size
            for k, text in enumerate(_split(rest if colon and head.strip() in groups else clause.text)):
                if k >= size:
                    raise Problem(clause.span, f"apply({clause.text})", f"there are {size} loops of that name")
                if text != "nothing":
                    out[at + k] = f"{pragma(f'omp {text}')}{out[at + k]}"
        return out

    # --- what they become -----------------------------------------------------------------------------------------

    def tile(self, loops: list[Loop]) -> _Made:
        return self._blocks(loops, [self._size(x) for x in self._arguments("sizes")], strided=False)

    def stripe(self, loops: list[Loop]) -> _Made:
        return self._blocks(loops, [self._size(x) for x in self._arguments("sizes")], strided=True)

    def _size(self, e: ast.Expr) -> str:
        value = constant(e)
        if value is not None and value < 1:
            raise Problem(e.span, f"'{self.directive.name}'", "a size has to be positive")
        return self.text(e)

    def _blocks(self, loops: list[Loop], sizes: list[str], *, strided: bool) -> _Made:
        """Loops over blocks and loops in a block; a block at the end may have less."""
        each = list(enumerate(zip(loops, sizes, strict=True)))
        grid = [self._for(self.name("b", k), "0", self.count(x), size) for k, (x, size) in each]
        inside = [self._for(self.name("w", k), "0", size) for k, (_, size) in each]
        index = [f"{self.name('b', k)} + {self.name('w', k)}" for k, _ in each]
        there = " && ".join(f"{index[k]} < {self.count(x)}" for k, (x, _) in each)
        before = f"if ({there}) {{ " + "".join(self.counter(x, index[k]) for k, (x, _) in each)
        return _Made([*inside, *grid] if strided else [*grid, *inside], before, " }")

    def _for(self, name: str, first: str, end: str, step: str = "1") -> str:
        return f"for (long long {name} = {first}; {name} < {end}; {name} += {step}) "

    def reverse(self, loops: list[Loop]) -> _Made:
        name = self.name("r")
        head = f"for (long long {name} = {self.count(loops[0])} - 1; {name} >= 0; {name}--) "
        return _Made([head], self.counter(loops[0], name), "")

    def interchange(self, loops: list[Loop]) -> _Made:
        order = [constant(x) for x in self._arguments("permutation")] or [2, 1]
        if sorted(x or 0 for x in order) != list(range(1, len(loops) + 1)):
            raise Problem(self.directive.name_span, "'interchange'", "its argument is not a permutation")
        heads = [self._for(self.name("i", k or 0), "0", self.count(loops[(k or 1) - 1])) for k in order]
        return _Made(heads, "".join(self.counter(x, self.name("i", k + 1)) for k, x in enumerate(loops)), "")

    def unroll(self, loops: list[Loop]) -> _Made:
        """The loop as it is; where a directive takes it, one iteration of the new loop runs `n` of the old."""
        partial = self.directive.clause("partial")
        if partial is None:
            raise Problem(self.directive.name_span, "'unroll'", "what is unrolled in full is no loop any more")
        if not partial.args:
            return _Made(
                [self._for(self.name("u"), "0", self.count(loops[0]))], self.counter(loops[0], self.name("u")), ""
            )
        size, (b, w) = self._size(partial.args[0]), (self.name("b"), self.name("w"))
        count = self.count(loops[0])
        inside = f"for (long long {w} = {b}; {w} < {b} + {size} && {w} < {count}; {w}++) {{ "
        return _Made([self._for(b, "0", count, size)], inside + self.counter(loops[0], w), " }")

    def split(self, loops: list[Loop]) -> _Made:
        raise Problem(self.directive.name_span, "'split'", "another directive takes its loops")

    def _fuse(self) -> None:
        """Loops of a block as one: iteration k of each, as long as it has one."""
        block = self.stmt.body
        if not isinstance(block, ast.Compound):
            raise Problem(self.directive.name_span, "'fuse'", "it needs a block of loops")
        statements = [only(x) for x in block.items]
        inner = [x.directive for x in statements if isinstance(x, DirectiveStmt) and x.directive.name in _GENERATED]
        if inner:
            for d in inner:
                if d.name == "split":
                    raise Problem(d.name_span, "'split'", "another directive takes its loops")
            return
        which = [constant(x) or 0 for x in self._arguments("looprange")] or [1, len(statements)]
        first, last = which[0] - 1, which[0] - 1 + which[1]
        if not 0 <= first < last <= len(statements):
            raise Problem(self.directive.name_span, "'fuse'", "looprange goes beyond the loops of the block")
        loops: list[Loop] = []
        for x in statements[first:last]:
            if not isinstance(x, ast.For):
                raise Problem(x.span if x else None, "'fuse'", "it needs a block of loops")
            loops.append(loop_of(x))
            self._check(loops[-1], [])
        if len(loops) == len(statements):
            self._fused(loops, Span(self.directive.span.end, self.stmt.span.end))
        else:
            self._fused(loops, Span(block.items[first].span.start, block.items[last - 1].span.end))

    def _fused(self, loops: list[Loop], place: Span) -> None:
        k = self.name("f")
        most = self.count(loops[0])
        for x in loops[1:]:
            most = f"({self.count(x)} > {most} ? {self.count(x)} : {most})"
        before = "".join(self._applied([self._for(k, "0", most)])) + "{ "
        edits = [(self.directive.span, "")]
        at = place.start
        for x in loops:  # `continue` leaves a user's body only: the loop around it is one that runs once
            edits.append(
                (Span(at, x.stmt.body.span.start), f"{before}if ({k} < {self.count(x)}) do {{ {self.counter(x, k)}")
            )
            at, before = x.stmt.body.span.end, " } while (0); "
        self.work.replace(self.item, *edits, (Span(at, place.end), f"{before}}} "))


_MAKERS: dict[str, Callable[[_Transformation, list[Loop]], _Made]] = {
    "tile": _Transformation.tile, "stripe": _Transformation.stripe, "reverse": _Transformation.reverse,
    "interchange": _Transformation.interchange, "unroll": _Transformation.unroll, "split": _Transformation.split,
}  # fmt: skip


def _split(text: str) -> list[str]:
    """The directives of an `apply` clause."""
    return [x.strip() for x in re.split(r",(?![^()]*\))", text) if x.strip()]
