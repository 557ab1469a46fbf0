"""What a target construct hands to its kernel: map items, parameters, values, launch geometry.

The plan is the same for every kernel class: the host code, the kernels and the manifest are three views of it.
Expressions are host C text after macro expansion.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from ompls.analysis.encoding import encoded
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import Array, CType, Pointer
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.layout import alignof, sizeof
from ompls.analysis.model.tu import TU, Item, Region, Variable
from ompls.translate.launch import Launch, inside_of, launch_of
from ompls.translate.promote import Promotion
from ompls.translate.structures import ItemPlan
from ompls.translate.uses import directives_in

ARGS = "@args@"  # in a value: the host's array of map items
ADDRESS = 8  # bytes of an `ompls_address` (runtime/core)
# What a parameter is, in the order of ompls_param_kind: the device address of an item, the bytes of a variable or of
# what a clause asks for, a pointer of the program's, a length that the translator adds, the part of a loop that a
# launch is about (`covering.py`), the bytes that an item has on the device, memory for the teams of a launch
# (`partials.py`).  (Behind these: an address that is only read.)
KINDS = ("address", "value", "pointer", "size", "part", "original", "partials")
HOISTED = ("num_teams", "thread_limit", "num_threads", "schedule", "dist_schedule", "priority")


@dataclass(frozen=True)
class Param:
    """One kernel parameter.

    symbol -- the user's variable, None for what a clause needs (`num_teams`, a variable array length)
    deref  -- the parameter is a pointer to the variable, not the variable's own value
    copy   -- a firstprivate variable too large for a parameter: a pointer to its value, to be copied
    league -- with `copy`: not to be copied, as the teams share the variable and change it
    """

    name: str
    symbol: Symbol | None
    kind: str  # one of KINDS
    index: int  # into values; of an address or original into items; of a part its dimension; of partials a team's bytes
    type: CType  # of the parameter
    deref: bool = False
    copy: bool = False
    league: bool = False

    def size(self, model: DataModel) -> int:
        """Bytes of the host; an address is an `ompls_address`, whatever size the host's pointers have."""
        return ADDRESS if self.kind in ("address", "partials") else sizeof(self.type, model) or 0

    @property
    def by_value(self) -> bool:
        """Whether it is the variable's own copy, not its address (of its elements when its length varies)."""
        if self.copy:
            return not self.league
        whole = isinstance(self.type, Pointer) and self.symbol is not None and isinstance(self.symbol.type, Array)
        return not self.deref and not whole

    def align(self, model: DataModel) -> int:
        return ADDRESS if self.kind in ("address", "partials") else alignof(self.type, model) or 1


@dataclass(frozen=True)
class Value:
    """A host expression whose bytes become a parameter: its address is taken when `lvalue`, else it is stored first."""

    expr: str
    type: str
    lvalue: bool


@dataclass
class RegionPlan:
    item: Item
    region: Region
    kernel: str  # unique in the program
    items: list[ItemPlan]
    params: list[Param] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    launch: Launch = field(default_factory=Launch)
    hoisted: dict[int, str] = field(default_factory=dict)  # id(clause) -> parameter that holds its value
    launch_only: list[Param] = field(default_factory=list)  # parameters that no kernel has (`launchonly.py`)
    dims: dict[Symbol, list[str]] = field(
        default_factory=dict
    )  # of a variable with variable lengths: below the outermost
    extents: dict[str, str] = field(default_factory=dict)  # what lengths of several variables name -> the one of them
    outer: dict[Symbol, str] = field(default_factory=dict)  # and its outermost length, where the kernel needs it
    privates: list[Symbol] = field(default_factory=list)  # variables whose copies in the region start without a value
    parts: dict[Symbol, tuple[str, str]] = field(default_factory=dict)  # first byte and bytes of a mapped section
    originals: dict[Symbol, str] = field(default_factory=dict)  # parameters for `omp_orig` of reductions over the teams
    partials: dict[Symbol, str] = field(default_factory=dict)  # parameters for what the last team joins (`partials.py`)
    one_team: bool = False  # a reduction's `omp_orig` is no parameter: it must not change before all have read it
    globals: list[Variable] = field(default_factory=list)  # declare target variables used directly

    id: str = ""  # FUNCTION_ORDINAL_FINGERPRINT (core/ompls.h): the same wherever the source lies
    mode: str = "spmd"  # or 'master_worker'
    single: bool = False  # spmd with one thread a team: nothing in the region is parallel
    promotion: Promotion | None = None  # spmd, although there is sequential code
    dimensions: int = 1  # of the grid and of its blocks
    only_read: frozenset[str] = frozenset()  # parameters, `onlyread.py`: a second version of the kernel is for these
    restrict: frozenset[str] = frozenset()  # parameters that are `restrict`, as the user's pointers are
    covered: bool = False  # a thread has one iteration at most (`covering.py`)
    team_memory: int = 0  # bytes that each device has for what a team's threads share; 0: no limit

    # while the plan is made: items that will come before the others, and where the first ones with a variable and a
    # base stand
    before: list[ItemPlan] = field(default_factory=list)
    placed: dict[tuple[Symbol | None, str], int] | None = None

    def places(self) -> dict[tuple[Symbol | None, str], int]:
        """The first of the items that the construct lists with each variable and base."""
        if self.placed is None:
            self.placed = {(i.symbol, i.base): k for k, i in reversed(list(enumerate(self.items)))}
        return self.placed

    def identify(self, spelled: Callable[[CType], str]) -> None:
        """Make `id`, now that the parameters are known.  `spelled` is how a type is written in C."""
        lasting = [p for p in self.params if p.kind not in ("part", "partials")]
        takes = "\n".join(f"{p.kind} {p.name} {spelled(p.type)}" for p in lasting)
        self.id = f"{self.region.id}_{hashlib.sha256(encoded(takes)).hexdigest()[:8]}"

    def constructs(self) -> list[str]:
        """The leaf constructs in the region, sorted."""
        return sorted({c for n in directives_in(self.region.stmt) for c in n.directive.constructs})

    def evaluated(self, name: str) -> dict[int, str]:
        """id of a clause -> the host variable (`name` with the value's number) that holds what it came to."""
        number = {p.name: p.index for p in (*self.params, *self.launch_only) if p.symbol is None}
        return {clause: name.format(number[p]) for clause, p in self.hoisted.items()}

    def host_launch(self, tu: TU, evaluated: dict[int, str]) -> Launch:
        """`launch` with the clauses' values in variables: what has side effects is evaluated once."""
        return self.shaped(tu, launch_of(tu, self.item, self.region, evaluated, self.dimensions))

    def shaped(self, tu: TU, launch: Launch) -> Launch:
        """`launch`, as the mode has it."""
        if self.one_team:
            launch = replace(launch, num_teams="1")
        if self.promotion is not None:
            return replace(launch, inside=inside_of(tu, self.item, self.region, self.promotion.regions))
        return replace(launch, num_threads="1") if self.single else launch

    def leave_out(self, names: Collection[str]) -> None:
        """Let no kernel have these parameters."""
        self.launch_only += [p for p in self.params if p.name in names]
        self.params[:] = [p for p in self.params if p.name not in names]

    def in_one_dimension(self) -> None:
        """Let the grid be a row of teams."""
        self.dimensions = 1
        self.launch = replace(self.launch, trips=())

    def param(self, symbol: Symbol) -> Param | None:
        return next((p for p in self.params if p.symbol is symbol), None)
