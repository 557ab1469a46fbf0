"""The functions that replay recorded tasks, and what the host file says where the tasks stand.

A task's function finds its variables by the lists of `recordable.Node`: a copy is a variable of the user's name, what
is shared is reached through a pointer.  `frame` has the addresses of the present encounter, `saved` the values of the
record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ompls.analysis.model.ast import Name, Symbol
from ompls.analysis.model.convert import unqualified
from ompls.analysis.model.ctype import Pointer
from ompls.analysis.model.layout import sizeof
from ompls.analysis.model.tu import TU, Item
from ompls.translate.graphs.recordable import Graph, Node
from ompls.translate.hostdata import with_names
from ompls.translate.needs import Index
from ompls.translate.output import OutLine, Places, generated
from ompls.translate.rewrite import Rewriter, name_function
from ompls.translate.uses import names_in


@dataclass(frozen=True)
class Recorded:
    """One construct of a graph in the host file.

    name -- of the construct;  graph -- that of the `taskgraph`;  size -- bytes that the record keeps
    region -- the name of its target region; "": a host task
    """

    name: str
    graph: str
    file: str
    line: int
    size: int
    region: str = ""


def begin(tu: TU, item: Item, graph: Graph, name: str) -> list[str]:
    """Statements before the region of a `taskgraph`, the last of which is the condition under which it is run."""
    d = graph.stmt.directive
    lines: list[str] = []
    rows: list[str] = []
    for symbol, copied in graph.frame:
        row = f"&{symbol.name}"
        if copied:
            row = f"__ompls_x{len(rows)}_{name}"
            lines.append(f"char {row}[sizeof({symbol.name})]; {_copy(row, f'&{symbol.name}', symbol)}")
        rows.append(f"(void *){row}")
    if rows:
        lines.append(f"void *const __ompls_f_{name}[] = {{{', '.join(rows)}}};")
    lines.append(f"struct ompls_recording *{recording(name)} = 0;")

    def value(clause: str, otherwise: str) -> str:
        found = d.clause(clause)
        if found is None:
            return otherwise
        return f"({tu.text(item, found.args[-1].span)})" if found.args else "1"

    lines.append(
        f"if (!ompls_graph_begin(__ompls_graph_{name}(), (long long){value('graph_id', '0')}, !!{value('if', '1')}, "
        f"!!{value('graph_reset', '0')}, {f'__ompls_f_{name}' if rows else '0'}, &{recording(name)}))\n"
    )
    return lines


def end(name: str) -> str:
    return f"ompls_graph_end({recording(name)});"


def recording(graph: str) -> str:
    return f"__ompls_k_{graph}"


def what_is_recorded(tu: TU, made: Recorded, node: Node) -> tuple[list[str], str]:
    """Statements before the construct, and the arguments of the run time's calls that say what is recorded."""
    saved = f"__ompls_s_{made.name}"
    lines = [f"char {saved}[{made.size}];"] if made.size else []
    for at, s in _saved(tu, node) if made.size else ():
        lines.append(_copy(f"{saved} + {at}", f"&{s.name}", s))
    what = f"__ompls_node_{made.name}()" if node.replayed else "0"
    return lines, f"{recording(made.graph)}, {what}, {saved if made.size else '0'}"


def size_of(tu: TU, node: Node) -> int:
    """Bytes that the record keeps of a construct."""
    return sum(sizeof(s.type, tu.model) or 0 for s in node.saved) if node.replayed else 0


def _saved(tu: TU, node: Node) -> Iterable[tuple[int, Symbol]]:
    at = 0
    for s in node.saved:
        yield at, s
        at += sizeof(s.type, tu.model) or 0


def _copy(to: str, of: str, s: Symbol) -> str:
    return f"__builtin_memcpy((void *)({to}), (const void *)({of}), sizeof({s.name}));"


# --- the functions --------------------------------------------------------------------------------------------------


def function(index: Index, graph: Graph, node: Node, name: str, body: list[OutLine]) -> list[OutLine]:
    """The function that runs the task of the construct `name` again."""
    frame = {known: k for k, known in enumerate(graph.frame)}
    lines = [
        f"static void __ompls_do_{name}(void *const *__ompls_frame, const void *__ompls_saved)",
        "{",
        "(void)__ompls_frame, (void)__ompls_saved;",
    ]
    lines += [f"{index.kinds.c(Pointer(s.type), pointer(s))} = __ompls_frame[{frame[s, False]}];" for s in node.shared]
    for s, value in [
        *((s, f"__ompls_frame[{frame[s, True]}]") for s in node.copied),
        *((s, f"(const char *)__ompls_saved + {at}") for at, s in _saved(index.tu, node)),
    ]:
        lines.append(f"{index.kinds.c(unqualified(s.type), s.name)}; {_copy(f'&{s.name}', value, s)}")
    lines += [f"{index.kinds.c(unqualified(s.type), s.name)};" for s in node.private]
    return [*(x for line in lines for x in generated(line)), *body, *generated("}")]


def pointer(s: Symbol) -> str:
    return f"__ompls_p_{s.name}"


def body_of(item: Item, places: Places, node: Node) -> list[OutLine]:
    """A host task's statement, with what is shared behind pointers."""
    body = node.stmt.body
    assert body is not None
    rewriter = Rewriter(item.content.text)
    name_function(rewriter, item.content.node, body)
    for n in names_in(body):
        if isinstance(n, Name) and n.symbol in node.shared:
            rewriter.replace(n.span, f"(*{pointer(n.symbol)})")
    return places.located(item, rewriter.render(body.span))


def reached(text: str, node: Node) -> str:
    """Statements of ours in a task's function: what is shared is behind pointers there."""
    names = {s.name: f"(*{pointer(s)})" for s in node.shared}
    return with_names(text, names)
