"""What a file says to all of its declarations: in the directives between them, and in questions about the whole of it.

The findings that are kept of a declaration hold as long as all of this is equal (`rules/__init__.py` compares it), so
that a rule may read it freely.  So it may what a question about the whole file gives (`framework.of_whole`), and the
functions that its declaration calls and those that call it (`kept.py`); there is no other way to what stands elsewhere.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ompls.analysis.encoding import encoded
from ompls.analysis.model.ast import Declaration, FunctionDef, Index, Name, Unary
from ompls.analysis.model.ctype import Array, Record
from ompls.analysis.model.items import Group
from ompls.analysis.model.omp import Directive, declare_target_list, declared_mapper, mapper_variable
from ompls.analysis.model.targeted import names_under
from ompls.analysis.model.tu import TU, Content

_DECLARED = re.compile(r"declare[ _]reduction\s*\(\s*([^\s:]+)\s*:")
_SNAPSHOTS = 16
_REDUCTIONS_OF: dict[str, frozenset[str]] = {}  # what system headers declare, by `HeaderSnapshot.key`


NamedMapper = tuple[str, "int | None"]  # with the number of a structure; None: its type is none, or is not known


class Told(NamedTuple):
    """Names, but for `requires`: the words of all `requires` directives.

    threadprivate -- of variables that `threadprivate` directives list
    groupprivate -- those of them of which devices have copies
    variants -- of functions whose calls a `declare variant` may replace
    host_only -- of functions under `device_type(host)`
    indirect -- of functions that devices may call through the host's pointers
    on_devices -- that a `declare target` further down may give to devices
    unmapped_links -- of `link` variables that no data environment of the unit maps
    own_links -- those of them that no other unit maps: they are `static`, or there is no other
    reductions -- that `declare reduction` at file scope, or a header, declares
    mappers -- that `declare mapper` at file scope declares, with the structures they are for
    """

    requires: frozenset[str]
    threadprivate: frozenset[str]
    groupprivate: frozenset[str]
    variants: frozenset[str]
    host_only: frozenset[str]
    indirect: frozenset[str]
    on_devices: frozenset[str]
    unmapped_links: frozenset[str]
    own_links: frozenset[str]
    reductions: frozenset[str]
    mappers: frozenset[NamedMapper]


def told_by(tu: TU, contents: tuple[Content, ...], variants: frozenset[str]) -> Told:
    """contents -- the external declarations of the unit"""
    between = [d.directive for d in tu.directives]
    inside = list(itertools.chain.from_iterable([_inside(group) for _, group in tu.items.groups]))
    grouped = frozenset(_listed(d for d in between if d.name == "groupprivate"))
    links = _unmapped_links(tu, contents)
    return Told(
        requires=frozenset(c.name for d in (*between, *inside) if d.name == "requires" for c in d.clauses),
        threadprivate=grouped.union(_listed(d for d in (*between, *inside) if d.name == "threadprivate")),
        groupprivate=grouped,
        variants=variants,
        host_only=_host_only(tu),
        indirect=names_under(tu, [d for d in tu.directives if d.directive.clause("indirect") is not None]),
        on_devices=_on_devices(tu),
        unmapped_links=links,
        own_links=_own(links, contents),
        reductions=_reductions(tu),
        mappers=declared_mappers(between),
    )


def _listed(directives: Iterable[Directive]) -> Iterator[str]:
    """The arguments of directives that take a list themselves."""
    return (i.text for d in directives for i in d.args)


def _inside(group: Group) -> list[Directive]:
    """Directives inside of declarations that speak of more: `threadprivate`, and a `requires` in a wrong place."""
    kept: list[Directive] | None = group.memo.get("speaks of more")
    if kept is None:
        inside = (s.directive for content in group.contents for s in content.directives)
        kept = group.memo["speaks of more"] = [d for d in inside if d.name in ("threadprivate", "requires")]
    return kept


def declared_reductions(directives: Iterable[Directive]) -> frozenset[str]:
    """The identifiers that `declare reduction` directives give a meaning."""
    named = (d.args[0].text for d in directives if d.name == "declare reduction" and d.args)
    return frozenset(text.partition(":")[0].strip() for text in named)


def declared_mappers(directives: Iterable[Directive]) -> frozenset[NamedMapper]:
    """The identifiers of `declare mapper(identifier: type variable)`, each with the structure's number."""
    found = ((declared_mapper(d), mapper_variable(d)) for d in directives if d.name == "declare mapper")
    types = ((mapper.name, None if of is None else of.type) for mapper, of in found if mapper is not None)
    return frozenset((name, of.uid if isinstance(of, Record) else None) for name, of in types)


def _reductions(tu: TU) -> frozenset[str]:
    of_headers = _REDUCTIONS_OF.get(tu.snapshot.key)
    if of_headers is None:
        if len(_REDUCTIONS_OF) > _SNAPSHOTS:
            _REDUCTIONS_OF.clear()
        found = (name for unit in tu.snapshot.system.values() for name in _DECLARED.findall(unit.text))
        of_headers = _REDUCTIONS_OF[tu.snapshot.key] = frozenset(found)
    return of_headers | declared_reductions(d.directive for d in tu.directives)


def _host_only(tu: TU) -> frozenset[str]:
    """The names in `declare target … device_type(host)`, and those declared between its `begin` and `end`."""
    said = [d for d in tu.directives if (c := d.directive.clause("device_type")) is not None and c.keyword == "host"]
    return names_under(tu, said)


def _on_devices(tu: TU) -> frozenset[str]:
    said = [d.directive for d in tu.directives if d.directive.name in ("declare target", "begin declare target")]
    lists = [declare_target_list(directive) for directive in said]
    names = {item.text for listed in lists for _, item in listed}
    if not all(lists):  # one that reaches to its `end`
        declared = [_declared(group) for _, group in tu.items.groups]
        names |= frozenset[str]().union(*[d[0] for d in declared]) & frozenset[str]().union(*[d[1] for d in declared])
    return frozenset(names)


def _declared(group: Group) -> tuple[frozenset[str], frozenset[str]]:
    """The names that are declared in the group for devices, and those that are not; some may be both, at two places."""
    kept: tuple[frozenset[str], frozenset[str]] | None = group.memo.get("declared")
    if kept is None:
        nodes = [content.node for content in group.contents]
        symbols = [n.symbol for n in nodes if isinstance(n, FunctionDef)]
        symbols += [d.symbol for n in nodes if isinstance(n, Declaration) for d in n.decls]
        with_them = frozenset(s.name for s in symbols if s.declare_target)
        kept = group.memo["declared"] = with_them, frozenset(s.name for s in symbols if not s.declare_target)
    return kept


def _unmapped_links(tu: TU, contents: tuple[Content, ...]) -> frozenset[str]:
    """The `link` variables that no `target data` or `target enter data` lists, nor is told to the runtime."""
    names = {i.text for d in tu.directives for mode, i in declare_target_list(d.directive) if mode == "link"}
    for content in contents if names else ():
        for stmt in content.directives:
            if stmt.directive.name in ("target data", "target enter data"):
                names -= {i.symbol.name for c in stmt.directive.all("map") for i in c.items if i.symbol is not None}
        if any(symbol.name == "omp_target_associate_ptr" for symbol in content.calls):
            return frozenset()
    return frozenset(names)


def _own(links: frozenset[str], contents: tuple[Content, ...]) -> frozenset[str]:
    """Those that nobody else can map.  A unit with `main` that calls only itself and the system's libraries is alone."""
    links -= frozenset[str]().union(*[_pointed(links, content) for content in contents if links])
    if not links:
        return links
    functions = {n.symbol.name for n in (c.node for c in contents) if isinstance(n, FunctionDef)}
    called = (s for content in contents for s in content.calls)
    if "main" in functions and all(s.name in functions or s.from_system_header for s in called):
        return links
    found = [d for n in (c.node for c in contents) if isinstance(n, Declaration) for d in n.decls]
    return links.intersection([d.symbol.name for d in found if d.symbol.storage == "static"])


def _pointed(names: frozenset[str], content: Content) -> set[str]:
    """Those of the names that a pointer is made of, by which they may be mapped: `p = big`, `&big`, `upload(big)`."""
    if content.node is None or not any(encoded(name) in content.text for name in names):
        return set()
    nodes = list(content.node.walk())
    parts = {id(n.base) for n in nodes if isinstance(n, Index)}
    taken = {id(n.operand) for n in nodes if isinstance(n, Unary) and n.op == "&"}
    found = [n for n in nodes if isinstance(n, Name) and n.name in names and id(n) not in parts]
    return {n.name for n in found if id(n) in taken or isinstance(n.type, Array)}
