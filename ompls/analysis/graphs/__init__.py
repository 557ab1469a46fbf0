"""The static task graph of a region: which tasks it creates, and which of them wait for which.

A region is followed statement by statement, as the paper "OpenMP to CUDA graphs" does it (section 4.1): constants,
induction variables and unrolled loops give each task its values, and its list items their addresses.  Where one of
them is not known before the program runs there is no graph, but a reason with its place.

    evaluated.py  what expressions are worth, and which storage an lvalue is
    here.py       reasons, and the place that they are about
    depends.py    `depend` clauses as storage
    footprint.py  what a task certainly reads and writes
    mapped.py     what it maps
    construct.py  what is asked of a construct each time that it is met
    order.py      which task waits for which: `depend`, and what the encountering task waits for
    expansion.py  follows the statements of a region
    find.py       where in a unit a graph begins
    shape.py      levels, critical path, width

Nothing here does I/O or knows of rules; all work is bounded (`expansion.MOST_NODES`, `MOST_STEPS`).
"""

from __future__ import annotations

from ompls.analysis.graphs.expansion import MOST_STEPS
from ompls.analysis.graphs.find import NOT_UNDERSTOOD, Found, Functions, graphs, regions_of
from ompls.analysis.graphs.order import Edge, Node
from ompls.analysis.graphs.shape import Shape

__all__ = ["MOST_STEPS", "NOT_UNDERSTOOD", "Edge", "Found", "Functions", "Node", "Shape", "graphs", "regions_of"]
