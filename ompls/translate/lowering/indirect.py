"""Functions that are called through pointers which hold the host's addresses: those of `declare target … indirect`
(OpenMP 5.1 §2.14.7, 6.0 §9.9.4), and those that `declare target` variables begin with.

A unit with such functions gets a table of their addresses, a `declare target` variable, so that devices have the values
that it has on the host; and the device's calls through pointers ask a function that compares with the table.  A pointer
that is not found is the device's own already.  So such a function has one address everywhere, the host's, and device
code that takes it takes that; only functions without a body here, the library's, get what they can call.

Other units see variables of this one, and call through them.  They ask a function that is called after the variable,
which the unit has that defines it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import Call, Expr, FunctionDef, Name, Node, Span, Symbol, VarDecl
from ompls.analysis.model.ctype import CType, Function, Pointer, held
from ompls.analysis.model.peel import peel, strip
from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.translate.ctext import Types
from ompls.translate.lowering.round import Round, directive_text, pragma, with_outer
from ompls.translate.tables import HOST_ADDRESSES, known, on_device

_TABLE, _FIND, _OF = HOST_ADDRESSES, "__ompls_indirect_function", "__ompls_functions_of_"
_BEGIN, _END = pragma("omp declare target"), pragma("omp end declare target")


def lower(work: Round) -> None:
    tu = work.tu
    said = [f for f in tu.directives if f.directive.clause("indirect") is not None]
    names, seen = sorted(known(tu).functions), _variables(tu)
    if (names or seen) and work.target.on_device:
        if (_addresses(work, names) or _calls(work)) or (_FIND not in tu.symbols and not _find(work, names, seen)):
            return  # until there are none: one may be part of another
    elif names and _TABLE not in tu.symbols and not _behind(work, _table(names)):
        return
    for f in said:
        _without(work, f)


def _variables(tu: TU) -> tuple[Symbol, ...]:
    """The `declare target` variables that lead to functions, and that other units can see."""
    variables = (s for s in tu.symbols.own.values() if s.kind == "var")
    found = (s for s in variables if s.storage != "static" and not s.from_system_header)
    return tuple(s for s in found if on_device(tu, s) and _leads_to_functions(s.type))


def _leads_to_functions(t: CType) -> bool:
    """Whether there are pointers to functions in an object of the type, or where pointers in it lead."""
    waiting, seen = [t], set[CType]()
    while waiting:
        for of in held(waiting.pop()):
            if isinstance(of, Pointer) and of not in seen:
                if isinstance(of.to, Function):
                    return True
                seen.add(of)
                waiting.append(of.to)
    return False


def _addresses(work: Round, names: list[str]) -> bool:
    """Let code that takes a function's address take the one in the table; whether there was any."""
    found, kinds = False, Types(work.tu)
    for item in work.tu.items if names else ():
        if isinstance(item.content.node, FunctionDef) and item.content.node.symbol.name != _FIND:
            for node, name in _taken(work, item.content.node):
                if name.name in names and name.symbol is not None:
                    found = True
                    made = kinds.c(Pointer(name.symbol.type))
                    work.replace(item, (node.span, f"(({made}){_TABLE}[{names.index(name.name)}])"))
    return found


def _taken(work: Round, function: FunctionDef) -> Iterator[tuple[Expr, Name]]:
    """The expressions that are a function's address, each with its name.

    Neither what is called, nor an argument of a function that is not ours, nor what has to be constant.
    """
    todo: list[Node] = [function.body]
    while todo:
        node = todo.pop()
        name = _function(node)
        if isinstance(node, VarDecl) and node.symbol.storage == "static":
            continue
        if name is not None and isinstance(node, Expr):
            yield node, name
        elif isinstance(node, Call):
            plain = [node.function, *(node.args if _foreign(work, node) else ())]
            todo += [e for e in (node.function, *node.args) if e not in plain or _function(e) is None]
        else:
            todo += node.children()


def _function(node: Node) -> Name | None:
    """The name in `f`, `(f)` and `&f`; None: it is no function's."""
    if not isinstance(node, Expr):
        return None
    node = peel(node, ops="&*")
    return node if isinstance(node, Name) and node.symbol is not None and node.symbol.kind == "func" else None


def _foreign(work: Round, call: Call) -> bool:
    """Whether it calls a function by its name that has no body here."""
    name = _function(call.function)
    s = work.tu.symbols.get(name.name) if name is not None else None
    return s is not None and not s.defined and s.name != _FIND


def _calls(work: Round) -> bool:
    """Let calls through pointers ask for the device's function; whether there were any."""
    found = False
    for item in work.tu.items:
        for node, _ in with_outer(item.content.node):
            if not isinstance(node, Call):
                continue
            asked = [node.function] if _through_pointer(node.function) else []
            asked += [a for a in node.args if _is_pointer(a)] if _foreign(work, node) else []
            for e in asked:
                found = True
                if any(isinstance(n, Call) and _through_pointer(n.function) for n, _ in with_outer(e)):
                    continue  # the inner one first
                text = work.text(item, e.span)
                # `&*` makes a pointer of a function, too, as `(*f)()` has one.
                work.replace(item, (e.span, f"((__typeof__(&*({text}))){_FIND}((void *)({text})))"))
    return found


def _through_pointer(function: Expr) -> bool:
    inner = strip(function)
    return not _found(inner) and not (isinstance(inner, Name) and (inner.symbol is None or inner.symbol.kind == "func"))


def _is_pointer(arg: Expr) -> bool:
    """Whether an argument is a pointer to a function, and none that is known."""
    to_function = isinstance(arg.type, Pointer) and isinstance(arg.type.to, Function)
    return to_function and _function(arg) is None and not _found(strip(arg))


def _found(e: Expr) -> bool:
    return isinstance(e, Call) and isinstance(e.function, Name) and e.function.name == _FIND


def _table(names: list[str]) -> str:
    rows = ", ".join(f"(void *){n}" for n in names)
    return f"static void *{_TABLE}[{len(names)}] = {{{rows}}}; " if names else ""


def _find(work: Round, names: list[str], seen: tuple[Symbol, ...]) -> bool:
    """The table and the function that looks into it, if anybody asks, behind everything that they name."""
    shown = [s.name for s in seen if s.defined]
    user = next((i for i in work.tu.items if _asks(i)), None)
    if user is None and not shown:
        return True
    elsewhere = [f"{_OF}{s.name}" for s in seen if not s.defined]
    declared = "".join(f"void *{name}(void *); " for name in elsewhere)
    compared = "".join(f"if (f == {_TABLE}[{k}]) {_returned(work.tu, n)} " for k, n in enumerate(names))
    asked = "".join(f"if ((g = {name}(f)) != f) return g; " for name in elsewhere)
    first = f"{declared}static void *{_FIND}(void *f) {{ void *g = f; {compared}{asked}return g; }} "
    for_others = "".join(f"void *{_OF}{name}(void *f) {{ return {_FIND}(f); }} " for name in shown)
    if user is not None:
        ahead = f"static void *{_TABLE}[{len(names)}]; " if names else ""
        if not work.replace(user, (Span(0, 0), f"{_BEGIN}{ahead}static void *{_FIND}(void *); {_END}")):
            return False
    return _behind(work, _table(names) + first + for_others)


def _returned(tu: TU, name: str) -> str:
    """The statement that returns the device's function.  C++ may have several of a library's name."""
    s = tu.symbols[name]
    if not s.from_system_header:
        return f"return (void *){name};"
    return f"{{ {Types(tu).c(Pointer(s.type), 'h')} = {name}; return (void *)h; }}"


def _behind(work: Round, text: str) -> bool:
    last = list(work.tu.items)[-1]
    size = last.end - last.start
    return work.replace(last, (Span(size, size), f" {_BEGIN}{text}{_END}"))


def _asks(item: Item) -> bool:
    return isinstance(item.content.node, FunctionDef) and any(
        isinstance(n, Name) and n.name in (_FIND, _TABLE) for n, _ in with_outer(item.content.node)
    )


def _without(work: Round, f: FileDirective) -> None:
    d = f.directive
    clause = d.clause("indirect")
    if clause is not None:
        text = directive_text(work.tu, f, d)
        written = decoded(work.tu.expanded[f.start + clause.span.start : f.start + clause.span.end])
        work.replace(f, (d.span, pragma(text.replace(" ".join(written.split()), "", 1))))
