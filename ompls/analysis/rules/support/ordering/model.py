"""The values that the walk over a function works with: accesses, asynchronous units, and what is still going on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ompls.analysis.dataenv.guards import Guard
from ompls.analysis.dataenv.symbolic import LoopRange, Poly
from ompls.analysis.model.ast import DirectiveStmt, Node, Span, Stmt, Symbol
from ompls.analysis.model.omp import ListItem

# Where an access happens: 'host', or 'device' and the number as written.  A region works on the device's copies; it meets
# the host only where data is copied.
Side = str
BY_ADDRESS: Side = "by address"  # what a device's address points to, whichever device's: `is_device_ptr`


@dataclass(frozen=True, slots=True)
class Touch:
    """One access of a variable, or of what it points to.

    depth -- 0: the variable (an element of an array, a member of a structure too); 1: what it points to
    way -- members on the way (`.lo.x`); accesses with different ways never meet
    subs -- subscripts, outermost first; None: not known.  () for a scalar
    loops -- the loops around it, outermost first
    held -- what excludes others: 'atomic', 'critical NAME', 'lock NAME'
    guards -- the conditions it is under, outermost first
    certain -- False: a called function or an alias may do it
    node -- what to point at; `inner` is where it happens when that is in a called function
    """

    symbol: Symbol
    node: Node
    depth: int
    read: bool
    write: bool
    way: str = ""
    subs: tuple[Poly | None, ...] = ()
    loops: tuple[LoopRange, ...] = ()
    held: frozenset[str] = frozenset()
    guards: tuple[Guard, ...] = ()
    side: Side = "host"
    certain: bool = True
    freed: bool = False  # the storage ends here: `free`, a removal from the device
    copy: bool = False  # by a map or motion clause, not by code
    whole: bool = False  # every element
    via: Symbol | None = None  # the pointer that is another name for `symbol`

    @property
    def span(self) -> Span:
        return self.node.span


class Dependence(NamedTuple):
    """One list item of a `depend` clause; `item` None: anything (`omp_all_memory`, a depobj, an iterator)."""

    kind: str
    item: ListItem | None


@dataclass(slots=True, eq=False)
class Unit:
    """Something that is created here and may run later: a task, or a device operation with `nowait`.

    stmt -- its construct; several instances when it stands in a loop
    after -- units that certainly or possibly have to be complete before it starts
    """

    stmt: DirectiveStmt
    depends: tuple[Dependence, ...]
    after: set[Unit] = field(default_factory=set)
    device: bool = False
    alone: bool = False  # the thread that creates it runs it, sooner or later


@dataclass(frozen=True, slots=True)
class Agent:
    """Who runs a piece of a team's code.

    kind -- 'all': every thread; 'single'/'masked'/'section': one of them; 'for'/'distribute': each a share;
            'some': threads that a condition selects; 'alone': there is no team
    stmt -- the construct
    loops -- of a shared loop: the associated loops; with `schedule` as written
    around -- the loops around the construct, by `id` of the statement
    """

    kind: Literal["all", "single", "masked", "section", "for", "distribute", "some", "alone"]
    stmt: Stmt | None = None
    loops: tuple[LoopRange, ...] = ()
    schedule: str = ""
    which: str = ""  # of sections the number, of masked the filter
    around: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry:
    """An access that may still be going on.

    unit -- the task that does it; None: another thread of the team does, as `agent`
    child -- whether the unit is a child of the task that is looked at, so that `taskwait` and `depend` order it
    weak -- something on the way may have waited for it
    laps -- the loops whose later iterations are looked at
    """

    touch: Touch
    unit: Unit | None
    agent: Agent
    child: bool = True
    weak: bool = False
    laps: frozenset[int] = frozenset()


ClashKind = Literal["await", "units", "self", "threads", "teams", "scope"]


@dataclass(frozen=True, slots=True)
class Clash:
    """Two accesses of the same storage that nothing orders, one of them a write.

    kind -- 'await': the creator goes on and touches what the unit `one` uses; 'units': two units; 'self': two instances
            of one; 'threads', 'teams': of a team, of a league; 'scope': the variable ends while the unit uses it
    certain -- False: likely
    """

    kind: ClashKind
    one: Entry
    two: Touch
    other: Unit | None = None
    agent: Agent | None = None
    certain: bool = True
