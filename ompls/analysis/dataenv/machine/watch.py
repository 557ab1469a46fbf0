"""What holds wherever a walk comes by one place of the text.

A walk comes there more than once: from several calls, in the first iteration of a loop and then in any.  What all
visits agree on is certain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ompls.analysis.dataenv.machine.state import State
from ompls.analysis.dataenv.machine.values import Site
from ompls.analysis.dataenv.symbolic import Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Stmt
from ompls.analysis.model.tu import Content

_MOST = 64  # visits that are kept


class Point(NamedTuple):
    """A place in a function: before `stmt`; or, when that is a block and `end`, after its last statement."""

    content: Content
    stmt: Stmt
    end: bool = False

    @property
    def function(self) -> str:
        node = self.content.node
        return node.symbol.name if isinstance(node, ast.FunctionDef) else ""


class Visit(NamedTuple):
    """calls -- those that lead there, outermost first; device -- of the region that runs there; None: the host runs
    beyond -- something was mapped through a pointer that is not known
    """

    state: State
    calls: tuple[Site, ...]
    device: Poly | None
    beyond: bool


@dataclass(slots=True)
class Watch:
    """`more` -- there were other visits, of which nothing is kept."""

    point: Point
    visits: list[Visit] = field(default_factory=list)
    more: bool = False

    def note(self, state: State, chain: tuple[object, ...], device: Poly | None, beyond: bool) -> None:
        """A walk comes by; `chain` as in `objects.Frame`."""
        if len(self.visits) >= _MOST:
            self.more = True
            return
        calls = tuple([_call(name, at) for name, at in zip(chain[::2], chain[1::2], strict=True)])
        self.visits.append(Visit(state.copy(), calls, device, beyond))


def _call(name: object, at: object) -> Site:
    assert isinstance(name, str)
    assert isinstance(at, int)
    return Site(name, ast.Span(at, at + 1))
