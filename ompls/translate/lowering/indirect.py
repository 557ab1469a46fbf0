"""`declare target … indirect` (OpenMP 5.1 §2.14.7, 6.0 §9.9.4): calls through a pointer that holds the host's address.

A unit with such functions gets a table of their addresses, a `declare target` variable, so that devices have the values
that it has on the host; and the device's calls through pointers ask a function that compares with the table.  A pointer
that is not found is the device's own already.
"""

from __future__ import annotations

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Call, Cast, Expr, FunctionDef, Name, Paren, Span
from ompls.analysis.model.constants import fold
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.targeted import names_under
from ompls.analysis.model.tu import FileDirective, Item
from ompls.translate.lowering.round import Round, directive_text, pragma, with_outer
from ompls.translate.tables import HOST_ADDRESSES

_TABLE, _FIND = HOST_ADDRESSES, "__ompls_indirect_function"
_BEGIN, _END = pragma("omp declare target"), pragma("omp end declare target")


def lower(work: Round) -> None:
    said = [f for f in work.tu.directives if f.directive.clause("indirect") is not None]
    names = sorted(names_under(work.tu, [f for f in said if _holds(f.directive.clause("indirect"))]))
    names = [n for n in names if (s := work.tu.symbols.get(n)) is not None and s.kind == "func"]
    if not said or (names and work.target.on_device and _calls(work)):
        return  # until there are none: one may be part of another
    if not names or _table(work, names):
        for f in said:
            _without(work, f)


def _holds(clause: Clause | None) -> bool:
    """`indirect(false)` says that there is nothing to do."""
    return clause is not None and not (clause.args and fold(clause.args[0]) == 0)


def _calls(work: Round) -> bool:
    """Let calls through pointers ask for the device's function; whether there were any."""
    found = False
    for item in work.tu.items:
        for node, _ in with_outer(item.content.node):
            if isinstance(node, Call) and _through_pointer(node.function):
                found = True
                if any(isinstance(n, Call) and _through_pointer(n.function) for n, _ in with_outer(node.function)):
                    continue  # the inner one first
                text = work.text(item, node.function.span)
                # `&*` makes a pointer of a function, too, as `(*f)()` has one.
                made = f"((__typeof__(&*({text}))){_FIND}((void *)({text})))"
                work.replace(item, (node.function.span, made))
    return found


def _through_pointer(function: Expr) -> bool:
    inner = function
    while isinstance(inner, (Paren, Cast)):
        inner = inner.operand if isinstance(inner, Cast) else inner.inner
    if isinstance(inner, Call) and isinstance(inner.function, Name) and inner.function.name == _FIND:
        return False
    return not (isinstance(inner, Name) and (inner.symbol is None or inner.symbol.kind == "func"))


def _table(work: Round, names: list[str]) -> bool:
    """The table and, for devices, the function that looks into it, behind everything that they name."""
    rows = ", ".join(f"(void *){n}" for n in names)
    text = f" {_BEGIN}static void *{_TABLE}[{len(names)}] = {{{rows}}}; "
    if work.target.on_device:
        user = next((i for i in work.tu.items if _asks(i)), None)
        if user is None:
            return True
        found = " ".join(f"if (f == {_TABLE}[{k}]) return (void *){n};" for k, n in enumerate(names))
        text += f"static void *{_FIND}(void *f) {{ {found} return f; }} "
        if not work.replace(user, (Span(0, 0), f"{_BEGIN}static void *{_FIND}(void *); {_END}")):
            return False
    last = list(work.tu.items)[-1]
    size = last.end - last.start
    return work.replace(last, (Span(size, size), text + _END))


def _asks(item: Item) -> bool:
    return isinstance(item.content.node, FunctionDef) and any(
        isinstance(n, Name) and n.name == _FIND for n, _ in with_outer(item.content.node)
    )


def _without(work: Round, f: FileDirective) -> None:
    d = f.directive
    clause = d.clause("indirect")
    if clause is not None:
        text = directive_text(work.tu, f, d)
        written = decoded(work.tu.expanded[f.start + clause.span.start : f.start + clause.span.end])
        work.replace(f, (d.span, pragma(text.replace(" ".join(written.split()), "", 1))))
