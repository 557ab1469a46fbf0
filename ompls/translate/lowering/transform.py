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
from ompls.analysis.model.assigned import assigned_by
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
from ompls.translate.rewrite import BREAK

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
        self.used = set(re.findall(r"\w+", work.text(item, stmt.span))) | work.macros

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
        text = "".join(self._applied(made.loops)).removesuffix(BREAK)
        self.work.replace(
            self.item,
            (d.span, ""),
            (Span(d.span.end, body.start), f"{text} {{{BREAK}{made.before}"),
            (Span(body.end, self.stmt.span.end), f"{made.after}{BREAK}}}"),
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
                if assigned_by(n) is not None or isinstance(n, ast.Call):
                    raise Problem(e.span, f"'{self.directive.name}'", "a loop's bounds call a function; do that before")

    # --- text -----------------------------------------------------------------------------------------------------

    def text(self, e: ast.Expr) -> str:
        text = self.work.text(self.item, e.span)
        return text if isinstance(e, (ast.Name, ast.IntLiteral, ast.Paren)) else f"({text})"

    def count(self, loop: Loop, kind: str) -> str:
        """The number of iterations as an operand of type `kind`."""
        step = loop.step_text(self.text(loop.step)) if loop.step else "1"
        lower, bound = loop.limits(self.text, self.types.c)
        count = loop.count(lower, bound, kind, step)
        return count if count.isdigit() else f"({count})"

    def name(self, role: str, loop: Loop) -> str:
        """A name that neither the loops nor a macro has: of which loop it counts what."""
        stem = f"{loop.symbol.name}_{role}"
        name = next(n for k in range(len(self.used) + 1) if (n := f"{stem}{k or ''}") not in self.used)
        self.used.add(name)
        return name

    def counter(self, loop: Loop, index: str, kind: str) -> str:
        """The declaration of the user's counter in normalised iteration `index`, a number of type `kind`."""
        step = loop.step_text(self.text(loop.step)) if loop.step else "1"
        t = unqualified(loop.symbol.type)
        value = index
        if constant(loop.lower) != 0 or not loop.up or step != "1" or isinstance(t, Pointer):
            spelled = self.types.c(t)
            cast = "" if isinstance(t, Pointer) or spelled == kind == "int" else f"({spelled})"
            bare = index.isidentifier() or (not cast and loop.up and step == "1")
            scaled = f"{cast}{index if bare else f'({index})'}{'' if step == '1' else f' * {step}'}"
            sign = "+" if loop.up else "-"
            value = scaled if constant(loop.lower) == 0 and loop.up else f"{self.text(loop.lower)} {sign} {scaled}"
        return f"{self.types.c(t, loop.symbol.name)} = {value};{BREAK}"

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
        grid, inside, counters, there = [], [], [], []
        for loop, size in zip(loops, sizes, strict=True):
            kind = _kind(loop, size)
            block, at, count = self.name("block", loop), self.name("in", loop), self.count(loop, kind)
            grid.append(_for(kind, block, count, size))
            inside.append(_for("int" if size.isdigit() else kind, at, size))
            counters.append(self.counter(loop, f"{block} + {at}", kind))
            if not _divides(size, count):
                there.append(f"{block} + {at} < {count}")
        before, after = (f"if ({' && '.join(there)}) {{{BREAK}", f"{BREAK}}}") if there else ("", "")
        return _Made([*inside, *grid] if strided else [*grid, *inside], before + "".join(counters), after)

    def _plain(self, role: str, loop: Loop) -> tuple[str, str]:
        """(a loop over the iterations of `loop`, the declaration of the user's counter)."""
        kind, name = _kind(loop), self.name(role, loop)
        return _for(kind, name, self.count(loop, kind)), self.counter(loop, name, kind)

    def reverse(self, loops: list[Loop]) -> _Made:
        kind, name = _kind(loops[0]), self.name("down", loops[0])
        count = self.count(loops[0], kind)
        last = str(int(count) - 1) if count.isdigit() else f"{count} - 1"
        head = f"for ({kind} {name} = {last}; {name} >= 0; {name}--){BREAK}"
        return _Made([head], self.counter(loops[0], name, kind), "")

    def interchange(self, loops: list[Loop]) -> _Made:
        order = [constant(x) for x in self._arguments("permutation")] or [2, 1]
        if sorted(x or 0 for x in order) != list(range(1, len(loops) + 1)):
            raise Problem(self.directive.name_span, "'interchange'", "its argument is not a permutation")
        heads, counters = zip(*(self._plain("at", x) for x in loops), strict=True)
        return _Made([heads[(k or 1) - 1] for k in order], "".join(counters), "")

    def unroll(self, loops: list[Loop]) -> _Made:
        """The loop as it is; where a directive takes it, one iteration of the new loop runs `n` of the old."""
        partial = self.directive.clause("partial")
        if partial is None:
            raise Problem(self.directive.name_span, "'unroll'", "what is unrolled in full is no loop any more")
        if not partial.args:
            head, counter = self._plain("at", loops[0])
            return _Made([head], counter, "")
        size = self._size(partial.args[0])
        kind, first, at = _kind(loops[0], size), self.name("first", loops[0]), self.name("at", loops[0])
        count = self.count(loops[0], kind)
        there = f"{at} < {first} + {size}" + ("" if _divides(size, count) else f" && {at} < {count}")
        inside = f"for ({kind} {at} = {first}; {there}; {at}++) {{{BREAK}"
        return _Made([_for(kind, first, count, size)], inside + self.counter(loops[0], at, kind), f"{BREAK}}}")

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
        k, kind = self.name("at", loops[0]), "int" if all(_kind(x) == "int" for x in loops) else "long long"
        counts = [self.count(x, kind) for x in loops]
        most = counts[0]
        for count in counts[1:]:
            most = f"({count} > {most} ? {count} : {most})"
        before = "".join(self._applied([_for(kind, k, most)])).removesuffix(BREAK) + f" {{{BREAK}"
        edits = [(self.directive.span, "")]
        at = place.start
        for x, count in zip(
            loops, counts, strict=True
        ):  # `continue` leaves a user's body only: what is around it runs once
            head = f"{before}if ({k} < {count}) do {{{BREAK}"
            edits.append((Span(at, x.stmt.body.span.start), head + self.counter(x, k, kind)))
            at, before = x.stmt.body.span.end, f"{BREAK}}} while (0);{BREAK}"
        self.work.replace(self.item, *edits, (Span(at, place.end), f"{before}}} "))


def _for(kind: str, name: str, end: str, step: str = "1") -> str:
    more = f"{name}++" if step == "1" else f"{name} += {step}"
    return f"for ({kind} {name} = 0; {name} < {end}; {more}){BREAK}"


def _kind(loop: Loop, step: str = "") -> str:
    """The type of a counter of the loop's iterations.

    step -- what it counts in, where a block at the end may go beyond the last iteration; "": nothing goes there
    """
    most = loop.most()
    if most is None or (step and not step.isdigit()):
        return "long long"
    end = most + int(step or 0)
    return "int" if end < 1 << 31 else "unsigned int" if step and end < 1 << 32 else "long long"


def _divides(size: str, count: str) -> bool:
    return size.isdigit() and count.isdigit() and int(count) % int(size) == 0


_MAKERS: dict[str, Callable[[_Transformation, list[Loop]], _Made]] = {
    "tile": _Transformation.tile, "stripe": _Transformation.stripe, "reverse": _Transformation.reverse,
    "interchange": _Transformation.interchange, "unroll": _Transformation.unroll, "split": _Transformation.split,
}  # fmt: skip


def _split(text: str) -> list[str]:
    """The directives of an `apply` clause."""
    return [x.strip() for x in re.split(r",(?![^()]*\))", text) if x.strip()]
