"""The adapter, part three: initialisers, which give arrays their length."""

from __future__ import annotations

from tree_sitter import Node

from ompls.analysis.encoding import encoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import decay
from ompls.analysis.model.ctype import UNKNOWN, Array, CType, Integer, Record, innermost_first
from ompls.analysis.model.layout import initialised
from ompls.analysis.syntax.declarators import DeclaratorReader
from ompls.analysis.syntax.limits import MAX_DEPTH
from ompls.analysis.syntax.reader import broken, named


class InitializerReader(DeclaratorReader):
    """Initialiser lists with their designators."""

    def initializer(self, n: Node, target: CType) -> ast.Expr:
        """The initialiser of an object of type `target`; a list gets that type, with its length filled in."""
        if n.type != "initializer_list":
            return self.expr(n)
        if self.depth >= MAX_DEPTH:
            return self.other(n, ())
        self.depth += 1
        elements: list[ast.Expr] = []
        places: list[int] = []
        index = high = scalars = 0
        members = [f for f, _ in initialised(target, self.sema.model)]
        for c in named(n):
            value: Node | None = c
            if c.type == "initializer_pair":
                value = c.child_by_field_name("value")
                index, scalars = self.designated(c, elements, index, [f.name for f in members]), 0
                self.look_up(c, target)
            if value is None:
                continue
            inner = target.of if isinstance(target, Array) else UNKNOWN
            if members and index < len(members):
                inner = members[index].type
            e = self.initializer(value, inner)
            places += [-1] * (len(elements) - len(places))
            elements.append(e)
            places.append(index)
            width = _scalars(inner)
            if width > 1 and not isinstance(e, (ast.InitList, ast.StringLiteral)) and decay(e.type) != decay(inner):
                scalars += 1
                high = max(high, index + 1)
                if scalars < width:
                    continue
            scalars = 0
            index += 1
            high = max(high, index)
        self.depth -= 1
        if broken(n):
            self.taint(n)
        if isinstance(target, Array) and target.length is None and not target.vla:
            text = elements[0].type if len(elements) == 1 and isinstance(elements[0], ast.StringLiteral) else None
            string = isinstance(text, Array) and isinstance(target.of, Integer)  # char s[] = {"…"}
            target = Array(target.of, text.length if isinstance(text, Array) and string else high)
        return ast.InitList(self.span(n), elements, places, type=target)

    def designated(self, pair: Node, elements: list[ast.Expr], index: int, names: list[str]) -> int:
        """The position that the first designator moves to; the index expressions of all join `elements`."""
        for k, n in enumerate(pair.children_by_field_name("designator")):
            if n.type in ("field_designator", "field_identifier"):  # `.name =`, and GNU's `name:`
                name = self.text(n).lstrip(". ")
                index = names.index(name) if k == 0 and name in names else index
                continue
            for c in named(n):
                e = self.expr(c)
                elements.append(e)
                value = fold(e)
                index = value if k == 0 and value is not None else index
        return index

    def look_up(self, pair: Node, target: CType) -> None:
        """Note the first member in the designators of one element that its structure does not have."""
        for n in pair.children_by_field_name("designator"):
            if n.type not in ("field_designator", "field_identifier"):
                target = target.of if isinstance(target, Array) else UNKNOWN
                continue
            if not isinstance(target, Record):
                return
            at, name = self.span(n), self.text(n).lstrip(". \t")
            of = ast.OtherExpr(Span(at.start, at.start), [], type=target)
            member = ast.Member(at, of, name, False, Span(at.end - len(encoded(name)), at.end))
            self.sema.finish(member)
            target = member.type


def _scalars(t: CType) -> int:
    """How many scalars an object of type `t` holds (at least 1), for initialisers without inner braces."""
    if isinstance(t, Array):
        return max(1, (t.length or 1) * _scalars(t.of))
    if not isinstance(t, Record):
        return 1
    for record in innermost_first(t, lambda body: body.scalars):
        counts = [_scalars(f.type) for f in record.body.fields or ()]
        record.body.scalars = max(1, sum(counts) if record.kind == "struct" else sum(counts[:1]))
    return t.body.scalars
