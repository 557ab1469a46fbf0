"""The task graph of a region as a preview: its text, a line for each task, and its picture; `kernels.py` shows it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.features import graphforms, taskgraphs
from ompls.analysis.graphs import NOT_UNDERSTOOD
from ompls.server.opened import Opened, Result


class Made(NamedTuple):
    """As a translated region.

    broken -- the source was not understood: what was shown before is better
    """

    text: str
    line_map: tuple[tuple[int, int], ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    extension: str = "txt"
    language: str = "plaintext"
    broken: bool = False


def made(opened: Opened, result: Result, name: str) -> Made:
    graph = taskgraphs.task_graph(result.tu, name)
    if graph is None:
        return Made("", ())
    line_of = _lines(opened, result)
    if graph.reason is not None:
        where, why = graph.reason
        rows = [(f"{graph.function}: not static", graph.where)]
        rows += [(f"{os.path.basename(where.path)}:{line_of(where)}: {why}", where)]
    else:
        rows = [(graphforms.headline(graph), graph.where), *graphforms.rows(graph, line_of)]
    main = opened.document.path
    pairs = [(number, line_of(where)) for number, (_, where) in enumerate(rows, 1) if where.path == main]
    broken = graph.reason is not None and graph.reason.why == NOT_UNDERSTOOD
    return Made("".join(f"{text}\n" for text, _ in rows), tuple(pairs), broken=broken)


def picture(opened: Opened, result: Result, name: str, unfolded: Sequence[str]) -> str | None:
    """As SVG; None where there is no graph."""
    graph = taskgraphs.task_graph(result.tu, name)
    if graph is None or graph.reason is not None:
        return None
    return graphforms.svg(graph, taskgraphs.folded(graph, frozenset(unfolded)), _lines(opened, result))


def _lines(opened: Opened, result: Result) -> graphforms.LineOf:
    places = opened.places(result)
    return lambda where: places.span(where)[0] + 1
