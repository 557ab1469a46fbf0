"""`declare variant` and `dispatch` (OpenMP 5.1 §2.3.5, 6.0 §9.6): each call names the function that it means here.

A call is resolved for the target and for the constructs around it.  Functions between `begin declare variant` and its
end get names of their own, and vanish where their device is not this target.  When all calls are resolved, nothing is
left of the directives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ompls.analysis.encoding import encoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Call, DirectiveStmt, FunctionDef, Name, Span
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Directive, Trait
from ompls.analysis.model.tu import FileDirective, Item
from ompls.analysis.syntax.clause_expr import tokenize
from ompls.analysis.syntax.metadirective import traits_of
from ompls.translate.lowering.context import Place, match
from ompls.translate.lowering.round import Round, pragma, with_outer

BEGIN, END = "begin declare variant", "end declare variant"


@dataclass
class _Variant:
    """A function that may stand for a base function.

    start -- where its name can be used from, in the unit
    device_pointers -- positions of parameters that `dispatch` hands over as device pointers
    appended -- how many interop objects come after the arguments
    """

    name: str
    traits: tuple[Trait, ...]
    start: int = 0
    device_pointers: tuple[int, ...] = ()
    appended: int = 0


@dataclass
class _Table:
    of: dict[str, list[_Variant]] = field(default_factory=dict)  # by base function
    own: dict[str, tuple[str, ...]] = field(default_factory=dict)  # a variant's function -> constructs that it is in
    directives: list[FileDirective] = field(default_factory=list)


def lower(work: Round) -> None:
    table = _Table()
    begun = any(f.directive.name == BEGIN for f in work.tu.directives)
    if begun and _begun(work):
        return  # the functions have their names in the next pass
    for f in work.tu.directives:
        if f.directive.name == "declare variant":
            _declared(work, table, f)
    if work.problems:
        return
    called = [call for item in work.tu.items for call in _calls(work, table, item)]
    for item, stmt in work.statements():
        if stmt.directive.name == "dispatch":
            called.append(True)
            _dispatch(work, table, item, stmt)
    if not any(called):
        for f in table.directives:
            work.replace(f, (f.directive.span, ""))


def _traits(work: Round, f: FileDirective) -> tuple[Trait, ...] | None:
    clause = f.directive.clause("match")
    if clause is None:
        return ()
    text = encoded(clause.text)
    symbols = work.tu.symbols
    return traits_of(tokenize(text), lambda name: name in symbols and symbols[name].kind == "typedef", fold)


# --- begin declare variant … end declare variant ----------------------------------------------------------------


def _begun(work: Round) -> bool:
    """Give the functions between the directives names of their own, with a `declare variant` that says so."""
    open_: list[tuple[FileDirective, tuple[Trait, ...]]] = []
    ranges: list[tuple[FileDirective, FileDirective, tuple[Trait, ...]]] = []
    for f in work.tu.directives:
        if f.directive.name == BEGIN:
            traits = _traits(work, f)
            if traits is None:
                work.refuse(f, f.directive.span, f"'{BEGIN}'", "its selector could not be read")
                return True
            open_.append((f, (*(open_[-1][1] if open_ else ()), *traits)))
        elif f.directive.name == END and open_:
            first, traits = open_.pop()
            ranges.append((first, f, traits))
    taken = set(work.tu.symbols)
    for first, last, traits in ranges:
        if any(first.start < a.start and b.start < last.start for a, b, _ in ranges):
            continue  # the ones inside come first
        _between(work, (first, last), traits, taken)
    return True


def _between(
    work: Round, ends: tuple[FileDirective, FileDirective], traits: tuple[Trait, ...], taken: set[str]
) -> None:
    first, last = ends
    inside = [i for i in work.tu.items if first.end <= i.start and i.end <= last.start]
    static = [t for t in traits if t.set in ("device", "implementation")]
    here = match(work.tu, static, Place(work.target, ()))
    if here is None:
        for item in inside:
            work.replace(item, (Span(0, item.end - item.start), ""))
        work.replace(first, (first.directive.span, ""))
        work.replace(last, (last.directive.span, ""))
        return
    work.replace(first, (first.directive.span, ""))
    text = ""
    for item in inside:
        node = item.content.node
        if not isinstance(node, FunctionDef):
            continue
        name = next(n for k in range(1000) if (n := f"{node.symbol.name}__ompls_variant_{k}") not in taken)
        taken.add(name)
        work.replace(item, (node.name_span, name))
        clause = first.directive.clause("match")
        selector = clause.text if clause is not None else ""
        # For the next pass to read: the base function is declared again, with the variant.
        text += pragma(f"omp declare variant({name}) match({selector})")
        text += f"extern __typeof__({node.symbol.name}) {node.symbol.name}; "
    work.replace(last, (last.directive.span, text))


# --- declare variant --------------------------------------------------------------------------------------------


def _declared(work: Round, table: _Table, f: FileDirective) -> None:
    d = f.directive
    table.directives.append(f)
    base = next((i for i in work.tu.items if i.start >= f.end), None)
    traits = _traits(work, f)
    name = d.args[0].text if d.args else ""
    function = _function(base)
    if traits is None or function is None or not name:
        why = "its selector, its variant or the function after it could not be read"
        work.refuse(f, d.span, "'declare variant'", why)
        return
    for t in traits:
        if t.name == "condition" and t.value is None and not _global(work, t):
            why = (
                "its condition is neither constant nor of variables of the file; call the variant under an 'if' instead"
            )
            work.refuse(f, d.span, "'declare variant'", why)
            return
    params = _parameters(work, function[0])
    pointers: list[int] = []
    for c in d.all("adjust_args"):
        kind, _, names = c.text.partition(":")
        if kind.strip() == "need_device_ptr":
            pointers += [k for k, p in enumerate(params) if p in [n.strip() for n in names.split(",")]]
            pointers += [int(n) - 1 for n in names.split(",") if n.strip().isdigit()]
    appended = sum(c.text.count("interop") for c in d.all("append_args"))
    variant = _Variant(name, traits, f.start, tuple(pointers), appended)
    table.of.setdefault(function[0], []).append(variant)
    table.own[name] = tuple(t.name for t in traits if t.set == "construct")


def _global(work: Round, t: Trait) -> bool:
    """Whether a condition has a meaning wherever the function is called."""
    names = {token.text for token in tokenize(encoded(t.text)) if token.kind == "name"}
    local = {d.symbol.name for i in work.tu.items for d in i.content.node.walk()
             if isinstance(d, ast.VarDecl) and d.symbol.level == "block"}  # fmt: skip
    local |= {p.name for i in work.tu.items if isinstance(i.content.node, FunctionDef) for p in i.content.node.params}
    return all(name in work.tu.symbols and name not in local for name in names if name not in ("sizeof", "int", "long"))


def _function(item: Item | None) -> tuple[str] | None:
    node = item.content.node if item is not None else None
    if isinstance(node, FunctionDef):
        return (node.symbol.name,)
    if isinstance(node, ast.Declaration) and node.decls:
        return (node.decls[0].symbol.name,)
    return None


def _parameters(work: Round, name: str) -> list[str]:
    """The names of a function's parameters, where one of its declarations says them."""
    for item in work.tu.items:
        node = item.content.node
        if isinstance(node, FunctionDef) and node.symbol.name == name:
            return [p.name for p in node.params]
    return []


# --- calls ------------------------------------------------------------------------------------------------------


def _chosen(work: Round, table: _Table, item: Item, name: Name, *, dispatch: bool) -> list[tuple[str, _Variant]]:
    """The variants that a call of `name` may mean, best first, each with its condition ('': then it is the last)."""
    node = item.content.node
    outer = next((o for n, o in with_outer(node) if n is name), ())
    place = work.place(item, [d for d in outer if d.name != "dispatch"])
    own = table.own.get(node.symbol.name, ()) if isinstance(node, FunctionDef) else ()
    constructs = (*own, *place.constructs, *(("dispatch",) if dispatch else ()))
    found: list[tuple[int, str, _Variant]] = []
    for v in table.of.get(name.name, ()):
        m = match(work.tu, v.traits, Place(place.target, constructs))
        if m is not None and v.start < item.start + name.span.start:
            found.append((m.score, m.condition, v))
    found.sort(key=lambda x: -x[0])
    certain = next((k for k, (_, condition, _) in enumerate(found) if not condition), len(found))
    return [(condition, v) for _, condition, v in found[: certain + 1]]


def _callee(name: str, chosen: list[tuple[str, _Variant]]) -> str:
    """What is called: a name, or a choice between names; `(f)` is a call that no variant stands for."""
    text = ""
    for condition, v in chosen:
        text += f"{condition} ? {v.name} : " if condition else v.name
    if not chosen or chosen[-1][0]:
        text += name
    return text if len(chosen) == 1 and not chosen[0][0] else f"({text})"


def _calls(work: Round, table: _Table, item: Item) -> Iterator[bool]:
    """Resolve the calls in an item, but for those that a `dispatch` construct is about; yields for each one changed."""
    if not table.of:
        return
    dispatched = {id(c) for s in item.content.directives if (c := _target_call(s)) is not None}
    for node in item.content.node.walk():
        if isinstance(node, Call) and isinstance(node.function, Name) and id(node) not in dispatched:
            if node.function.name not in table.of:
                continue
            chosen = _chosen(work, table, item, node.function, dispatch=False)
            if chosen:
                yield work.replace(item, (node.function.span, _callee(node.function.name, chosen))) or True


def _target_call(stmt: DirectiveStmt) -> Call | None:
    """The call that a `dispatch` construct is about: `f(…);` or `x = f(…);`."""
    if stmt.directive.name != "dispatch" or not isinstance(stmt.body, ast.ExprStmt):
        return None
    e = stmt.body.expr
    while isinstance(e, (ast.Assign, ast.Paren, ast.Cast)):
        e = e.value if isinstance(e, ast.Assign) else e.inner if isinstance(e, ast.Paren) else e.operand
    return e if isinstance(e, Call) and isinstance(e.function, Name) else None


# --- dispatch ---------------------------------------------------------------------------------------------------


def _dispatch(work: Round, table: _Table, item: Item, stmt: DirectiveStmt) -> None:
    d, call = stmt.directive, _target_call(stmt)
    if call is None or stmt.body is None:
        work.refuse(item, d.span, "'dispatch'", "there is no call of a function by its name after it")
        return
    assert isinstance(call.function, Name)
    chosen = _chosen(work, table, item, call.function, dispatch=True)
    adjusted = any(x.device_pointers or x.appended for _, x in chosen)
    if adjusted and chosen[0][0]:
        work.refuse(item, d.span, "'dispatch'", "the arguments of the variant depend on a condition")
        return
    v = chosen[0][1] if adjusted else None
    device = d.clause("device")
    before = "{ " + "".join(pragma(f"omp taskwait {work.text(item, c.span)}") for c in d.all("depend"))
    after = " }"
    number = "omp_get_default_device()"
    if device is not None:
        number = "__ompls_device"
        before += "const int __ompls_default = omp_get_default_device(); "
        before += f"const int __ompls_device = {work.text(item, device.args[-1].span)}; "
        before += "omp_set_default_device(__ompls_device); "
        after = " omp_set_default_device(__ompls_default);" + after
    whole = stmt.body.span
    text = work.text
    # `(f)(…)` is a call that no variant stands for.
    plain = text(item, Span(whole.start, call.function.span.start)), text(item, Span(call.function.span.end, whole.end))
    itself = f"{plain[0]}({call.function.name}){plain[1]}"
    arms = ""
    for clause, other in (("novariants", itself), ("nocontext", f"{plain[0]}{call.function.name}{plain[1]}")):
        c = d.clause(clause)
        if c is not None:
            condition = text(item, c.args[-1].span) if c.args else "1"
            arms += f"if ({condition}) {{ {other} }} else "
    edits = [(d.span, before + arms + "{ ")]
    if chosen:
        edits.append((call.function.span, _callee(call.function.name, chosen)))
    if v is not None:
        device_pointers = _device_pointers(d)
        for k, a in enumerate(call.args):
            if k in v.device_pointers and text(item, a.span) not in device_pointers:
                given = text(item, a.span)
                edits.append((a.span, f"ompls_device_address({number}, (const void *)({given}))"))
        if v.appended:
            end = call.span.end - 1
            lead = ", " if call.args else ""
            edits.append((Span(end, end), lead + ", ".join(["omp_interop_none"] * v.appended)))
    edits.append((Span(whole.end, whole.end), " }" + after))
    work.replace(item, *edits)


def _device_pointers(d: Directive) -> set[str]:
    return {i.text for c in d.all("is_device_ptr", "has_device_addr") for i in c.items}
