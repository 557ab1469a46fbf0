"""Device functions: a function of the user's that kernels call, as CUDA C++."""

from __future__ import annotations

from ompls.analysis.model.ast import FunctionDef, Symbol
from ompls.analysis.model.tu import Item
from ompls.translate.escape import handed_over, parallel_functions
from ompls.translate.needs import Index, Needs, globals_in_lengths
from ompls.translate.output import OutLine, Places
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Chunk, Rewriter, trimmed
from ompls.translate.sharing import copies_made
from ompls.translate.transformations.gpu.declarations import Shared, aliases, rename, signature
from ompls.translate.transformations.gpu.dialect import Dialect
from ompls.translate.transformations.gpu.emitter import Emitter, inner
from ompls.translate.transformations.gpu.spelling import respell, respelled


def functions(index: Index, places: Places, needs: Needs, shared: Shared) -> list[OutLine]:
    """All functions of `needs`, a blank line after each."""
    out: list[OutLine] = []
    for item, f in needs.functions:
        out += [*_function(index, places, needs, (item, f), shared), OutLine("")]
    return out


def _function(
    index: Index, places: Places, needs: Needs, definition: tuple[Item, FunctionDef], shared: Shared
) -> list[OutLine]:
    item, f = definition
    rw = Rewriter(item.content.text)
    t = f.symbol.type
    dims: dict[Symbol, list[str]] = {}
    returns = getattr(t, "returns", None)
    dialect = Dialect(rw, index.kinds, needs.in_library, returns, dims)
    lengths = dialect.arrays.parameters(f.params)
    dialect.visit(f.body)
    rename(rw, needs, f.body)
    opening, references = aliases(index, needs, f.body, also=globals_in_lengths(index.tu, f))
    opening += [respelled(x, index.own) for x in lengths]
    e = Emitter(index.tu, item, rw, index.kinds, references=references, dims=dims, returns=returns)
    e.copies = copies_made(f.body, f.params)
    e.outer = dialect.arrays.outer
    e.locks, e.operators, e.joined.takers = shared.locks, shared.operators, shared.takers
    e.macros = shared.macros
    e.parallel = parallel_functions([g for _, g in needs.functions])
    e.on_heap = handed_over(f.body, f.params, e.parallel)
    _refuse_escaping_parameters(e.on_heap & set(f.params))
    e.references = references | e.on_heap
    e.visit(f.body, "function")
    start = f.header.start
    head = f"{signature(index, needs, item, f)}\n{{\n" + "".join(f"{x}\n" for x in opening)
    body = trimmed(rw.render(inner(f.body, {x.name for x in references})))
    body = shared.macros.written(item, respell(body, index.own))
    return places.located(item, [Chunk(head, start, False), *body, Chunk("\n}", f.body.span.end - 1, False)])


def _refuse_escaping_parameters(found: set[Symbol]) -> None:
    for s in found:
        why = "a parallel region may be led to it, and it is on one thread's stack: take that of a variable"
        raise Problem(None, f"the address of the parameter '{s.name}'", why)
