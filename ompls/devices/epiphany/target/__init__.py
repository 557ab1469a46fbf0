"""The target of `epiphany`: C of the shared set `default`, with fences where the chip's compiler makes none.

Writes of a core to two places arrive in any order (library/ecore.c).  The run time waits for them in barriers, locks
and tasks, but gcc makes nothing of `flush` and of an `atomic` that releases: before these a function of it is called.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from ompls.analysis.model import ast
from ompls.analysis.model.omp import Directive
from ompls.translate.lowering.round import Round
from ompls.translate.transformations import default

FENCE = "__sync_synchronize"  # on a chip a macro (module/size.py)


def with_fences(work: Round) -> None:
    """What a core has written is there before the flush is over, and before others see what the atomic writes."""
    orders = (f.directive.clause("atomic_default_mem_order") for f in work.tu.directives)
    usual = next((order.keyword for order in orders if order is not None), "relaxed")
    for item in work.items(__name__):
        done = _fenced(item.content.node)
        for stmt in item.content.directives:
            d = stmt.directive
            if d.name == "flush" and d.clause("acquire") is None:
                work.replace(item, (d.span, f"{FENCE}();"))
            elif d.name == "atomic" and id(stmt) not in done and _orders(d, usual):
                start, end = stmt.span
                after = f" {FENCE}();" if _order(d, usual) == "seq_cst" else ""
                work.replace(item, (ast.Span(start, start), f"{{ {FENCE}();\n"), (ast.Span(end, end), f"\n{after} }}"))


def _order(d: Directive, usual: str) -> str:
    found = d.clause("seq_cst", "acq_rel", "release", "acquire", "relaxed")
    return found.name if found is not None else usual


def _orders(d: Directive, usual: str) -> bool:
    """Whether it releases what was written before it."""
    order = _order(d, usual)
    return order == "seq_cst" or (order in ("acq_rel", "release") and d.clause("read") is None)


def _fenced(node: ast.Node) -> set[int]:
    """The directives behind a fence that is there already, by their identity."""
    blocks = (n.items for n in ast.nodes(node) if isinstance(n, ast.Compound))
    return {id(one) for items in blocks for before, one in pairwise(items) if _is_fence(before)}


def _is_fence(stmt: ast.Stmt) -> bool:
    call = stmt.expr if isinstance(stmt, ast.ExprStmt) else None
    return isinstance(call, ast.Call) and isinstance(call.function, ast.Name) and call.function.name == FENCE


TARGET = replace(default.CLASS, passes=(with_fences,))
