"""`declare mapper` (OpenMP 5.2 §5.8.8): a function of the host that adds what a mapper maps to a construct's list.

The storage of the mapped variable itself is the construct's own item; its members that the mapper lists are *parts* of
it, and what it reaches through pointers are items of their own, attached.  So a structure stays one allocation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from ompls.analysis.dataenv.paths import goes_beyond
from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.analysis.model.ctype import Array, CType, Record, innermost
from ompls.analysis.model.omp import Clause, Directive, declared_mapper, mapper_named, mapper_variable
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import TU, FileDirective
from ompls.analysis.syntax.quoted import c_string
from ompls.translate.ctext import place_of
from ompls.translate.flags import FLAGS, MOTION, bits
from ompls.translate.iterators import iterators_of, looped
from ompls.translate.problem import Problem


@dataclass(frozen=True)
class Mapper:
    """One `declare mapper`; `text` gives the C text of a span in it."""

    name: str
    function: str
    type: Record
    written: str  # the type's name as written
    variable: str
    directive: Directive
    text: Callable[[Span], str]
    place: FileDirective | DirectiveStmt

    @property
    def whole(self) -> tuple[str, ...]:
        """How the mapper maps the variable as a whole; () when it only lists members."""
        for clause in self.directive.all("map"):
            if any(isinstance(bare(e.expr), ast.Name) for e in clause.items):
                return flags_of(clause)
        return ()


@lru_cache(maxsize=4)
def mappers_of(tu: TU) -> Mappers:
    """The mappers of a translation unit."""
    return Mappers(tu)


class Mappers:
    """The mappers of one translation unit."""

    def __init__(self, tu: TU) -> None:
        self.tu = tu
        self.all: list[Mapper] = []
        self.problem: Problem | None = None  # a mapper that was not understood might be meant by any construct
        for f in tu.directives:
            self._add(f.directive, f, partial(_text_of, tu, f))
        for item in tu.items:
            for stmt in item.content.directives:
                self._add(stmt.directive, stmt, partial(tu.text, item))

    def _add(self, d: Directive, place: FileDirective | DirectiveStmt, text: Callable[[Span], str]) -> None:
        if d.name != "declare mapper":
            return
        m, variable = declared_mapper(d), mapper_variable(d)
        of = variable.type if variable is not None else None
        if m is None or not isinstance(of, Record):
            self.problem = Problem(
                None, "'declare mapper'", "what it maps is not known as a variable of a structure type"
            )
            return
        behind = [e.text for c in d.all("map") for e in c.items if goes_beyond(e.expr) and not _through_pointer(e.expr)]
        if behind:
            why = "it goes on behind its structure, which is mapped as long as its type is: map both in the construct"
            self.problem = Problem(None, f"the list item '{behind[0]}' of 'declare mapper'", why)
            return
        function = f"__ompls_mapper_{len(self.all)}"
        self.all.append(Mapper(m.name, function, of, m.type, m.variable, d, text, place))

    def of(self, t: CType, clause: Clause | None) -> Mapper | None:
        """The mapper for list items of type `t`: that which the clause names, else the default one."""
        if self.problem is not None:
            raise self.problem
        name = mapper_named(clause.modifiers if clause else ()) or "default"
        fits = (m for m in reversed(self.all) if m.name == name and isinstance(t, Record) and m.type.uid == t.uid)
        found = next(fits, None)
        if found is None and name != "default" and clause is not None:
            raise Problem(clause.span, f"mapper({name})", "no such mapper is declared for the type of the list item")
        return found

    def function(self, m: Mapper) -> str:
        """The definition of the function that a `declare mapper` becomes, in one line."""
        storage = "static " if isinstance(m.place, FileDirective) else ""
        body = " ".join(self._statements(m))
        return (
            f"{storage}void __attribute__((unused)) {m.function}(struct ompls_list **__ompls_list, "
            f"unsigned long long __ompls_whole, unsigned __ompls_flags, "
            f"const void *__ompls_first, unsigned long long __ompls_count) {{ "
            f"unsigned long long __ompls_i; for (__ompls_i = 0; __ompls_i < __ompls_count; __ompls_i++) {{ "
            f"{m.written} *const __ompls_it = ({m.written} *)__ompls_first + __ompls_i; {body} }} }}"
        )

    def _statements(self, m: Mapper) -> Iterator[str]:
        for k, clause in enumerate(m.directive.all("map")):
            if clause.broken:
                raise Problem(clause.span, f"the clause '{clause.name}'", clause.broken)
            iterators = iterators_of(clause)
            made = " ".join(s for e in clause.items for s in self._item(m, clause, e.expr, e.text))
            counts = [f"({it.count})" for it in iterators]
            yield _renamed(looped(iterators, counts, str(k), made), m.variable)

    def _item(self, m: Mapper, clause: Clause, expr: ast.Expr, name: str) -> Iterator[str]:
        """Statements for one list item.  `flags`: what the construct and the mapper both say."""
        mine = flags_of(clause)
        copies = bits(f for f in mine if f in ("TO", "FROM"))
        extra = bits(f for f in mine if f not in ("TO", "FROM"))
        flags = f"((__ompls_flags & ~3u) | (__ompls_flags & {copies}u) | {extra}u)"
        place = place_of(lambda e: m.text(e.span), expr, self.tu.model)
        whole = isinstance(bare(expr), ast.Name)
        through = _through_pointer(expr)
        base = "0" if whole else f"(const void *)({place.base})"
        at = f"(const void *)({place.begin}), {place.size}"
        add = f"ompls_list_add(__ompls_list, {c_string(name)}, %s, {base}, {at}, %s)"
        if whole:
            # Of a construct that maps it is the item itself, of `target update` it is listed here.
            part = add % (f"({flags} & ~{MOTION}u) | {bits(['PART'])}u", "(const void *)__ompls_whole")
            yield f"if (__ompls_flags & {MOTION}u) {part};"
            if mapper_named(clause.modifiers) not in ("", "default"):
                yield f"{self._other(m, clause).function}(__ompls_list, __ompls_whole, {flags}, &{m.variable}, 1);"
                return
            for member, of, count in _mapped_members(self, m.type, m.variable):
                yield f"{of.function}(__ompls_list, __ompls_whole, {flags}, {member}, {count});"
            return
        nested = self.of(element_type(expr), clause)
        count = f"({place.size}) / sizeof({nested.written})" if nested else ""
        if through:
            pointer = place.attach or f"&{place.base}"
            handle = add % (f"({flags} & ~{MOTION}u) | {bits(['ATTACH'])}u", f"(const void *)({pointer})")
            then = f"unsigned long long __ompls_h = {handle}; (void)__ompls_h;"
            if nested is not None:
                then += f" {nested.function}(__ompls_list, __ompls_h, {flags}, {place.begin}, {count});"
            yield f"if ({place.base} != 0) {{ {then} }}"
            return
        if not set(mine) <= {*m.whole}:
            yield (add % (f"({flags} & ~{MOTION}u) | {bits(['PART'])}u", "(const void *)__ompls_whole")) + ";"
        if nested is not None:
            yield f"{nested.function}(__ompls_list, __ompls_whole, {flags}, {place.begin}, {count});"

    def _other(self, m: Mapper, clause: Clause) -> Mapper:
        """The mapper that `m` names for its own variable."""
        found = self.of(m.type, clause)
        if found is None or found is m:
            raise Problem(clause.span, f"mapper({m.name})", "the mapper maps its own variable by itself, without end")
        return found


def _text_of(tu: TU, f: FileDirective, span: Span) -> str:
    return decoded(tu.expanded[f.start + span.start : f.start + span.end])


def flags_of(clause: Clause) -> tuple[str, ...]:
    """The flags of a map clause's type and modifiers."""
    flags = FLAGS.get(clause.keyword, ()) if clause.keyword else ("TO", "FROM")
    return flags + tuple(f for m in clause.modifiers for f in FLAGS.get(m, ()))


def element_type(e: ast.Expr) -> CType:
    """The type of what a list item consists of: of the elements of an array or section."""
    return innermost(bare(e).type)


def _mapped_members(mappers: Mappers, t: Record, at: str) -> Iterator[tuple[str, Mapper, str]]:
    """(address, mapper, count) of the members, and members of members, whose types have default mappers."""
    for f in t.body.fields or ():
        of, count = f.type, "1"
        while isinstance(of, Array):
            count, of = f"{count} * {of.length or 0}", of.of
        if not isinstance(of, Record) or not f.name:
            continue
        found = mappers.of(of, None)
        if found is not None:
            yield f"&{at}.{f.name}", found, count
        elif count == "1":
            yield from _mapped_members(mappers, of, f"{at}.{f.name}")


def nested_mappers(mappers: Mappers, t: CType, at: str) -> list[tuple[str, Mapper, str]]:
    """The same for a variable `at` whose own type has no mapper."""
    return list(_mapped_members(mappers, t, at)) if isinstance(t, Record) and mappers.all else []


def _through_pointer(e: ast.Expr) -> bool:
    while True:
        e = bare(e)
        if isinstance(e, (ast.Section, ast.Index)):
            if not isinstance(bare(e.base).type, Array):
                return True
        elif isinstance(e, ast.Unary) and e.op == "*":
            return True
        elif isinstance(e, ast.Member):
            if e.arrow:
                return True
        else:
            return False
        e = e.base


_TOKEN = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|->\s*\w+|\.\s*[A-Za-z_]\w*|[A-Za-z_]\w*)""")


def _renamed(text: str, variable: str) -> str:
    """The mapper's variable as what the function has for it; members and literals stay."""
    return _TOKEN.sub(lambda m: "(*__ompls_it)" if m.group() == variable else m.group(), text)
