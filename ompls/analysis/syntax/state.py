"""What one pass over a translation unit carries along, and what is kept between passes."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field

from ompls.analysis.model.tu import SyntaxNote
from ompls.analysis.source import Budget, HeaderSnapshot, Location, SourceMap
from ompls.analysis.syntax.blocks import Blocks
from ompls.analysis.syntax.condition import Condition
from ompls.analysis.syntax.directive import Parsed
from ompls.analysis.syntax.environment import Environment, Environments
from ompls.analysis.syntax.lexer import readable
from ompls.analysis.syntax.macros import Definition
from ompls.analysis.syntax.output import Line, Output
from ompls.analysis.syntax.stretch import Range, Stretch, Stretches


@dataclass(frozen=True, slots=True)
class Include:
    """An active `#include`.  `x` is the expanded offset where what it gives begins."""

    operand: str
    # 'system' (see HeaderSnapshot.system), 'project' (its text stands at `x`), 'again' (guarded, so not included),
    # 'missing' (was looked for), 'unknown' (the snapshot is older than the directive)
    kind: str
    x: int
    where: Location
    path: str | None = None
    unit: str = ""  # of a system header: its key in HeaderSnapshot.system


@dataclass(frozen=True)
class Expanded:
    """The expanded text (see ARCHITECTURE.md).

    text       -- pragmas as lines of their own; other directives and inactive branches are blanks
    inactive   -- what conditions exclude, in the original files
    defines    -- where the macros that the texts define at the end were defined
    stretches  -- the text in parts, with the offset of each; where it is cut depends on earlier versions
    """

    text: bytes
    map: SourceMap
    inactive: tuple[Location, ...]
    notes: tuple[SyntaxNote, ...]
    includes: tuple[Include, ...]
    defines: dict[str, Location]
    stretches: list[tuple[int, Stretch]] = field(compare=False, repr=False)

    @property
    def parse_text(self) -> bytes:
        """`text` with the pragmas blanked too."""
        return b"".join([stretch.parsed for _, stretch in self.stretches])

    @property
    def pragmas(self) -> tuple[Range, ...]:
        """The active pragmas in `text`, in order, from `#` to the end of the logical line."""
        return tuple((x + start, x + end) for x, stretch in self.stretches for start, end in stretch.pragmas)


@dataclass(slots=True)
class Several:
    """Memo entry: an invocation goes on in the following logical lines; how many they were so far."""

    sizes: list[int]


@dataclass(slots=True)
class Memo:
    """Lines seen.  `by_environment`: environment → line → result; `by_names`: line → (definitions found, result)."""

    by_environment: dict[int, dict[str, object]] = field(default_factory=dict)
    by_names: dict[str, list[tuple[dict[str, Definition | None], object]]] = field(default_factory=dict)
    placed: dict[tuple[int, str, int, str], Line] = field(default_factory=dict)
    conditions: dict[tuple[int, str, str], Condition] = field(default_factory=dict)
    directives: dict[str, Parsed | None] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    guards: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, Blocks] = field(default_factory=dict)  # of each text, by path
    stretches: Stretches = field(default_factory=Stretches)
    entries: int = 0  # that were made in `by_environment` and `placed` since `keep_only`

    def size(self) -> int:
        return self.entries + len(self.directives) + len(self.skipped) + len(self.conditions)

    def keep_only(self, environments: frozenset[int]) -> None:
        """Forget what lines and blocks become in other environments."""
        if self.by_environment.keys() <= environments:
            return
        self.by_environment = {n: lines for n, lines in self.by_environment.items() if n in environments}
        results = {id(result) for lines in self.by_environment.values() for result in lines.values()}
        found = {raw: [kept for kept in known if id(kept[1]) in results] for raw, known in self.by_names.items()}
        self.by_names = {raw: known for raw, known in found.items() if known}
        self.placed = {key: line for key, line in self.placed.items() if key[0] in environments}
        self.conditions = {key: condition for key, condition in self.conditions.items() if key[0] in environments}
        for blocks in self.blocks.values():
            blocks.keep_only(environments)
        self.entries = 0


class Run:
    """One pass over a translation unit."""

    def __init__(
        self, memo: Memo, environments: Environments, path: str, headers: HeaderSnapshot, budget: Budget | None
    ) -> None:
        self.memo = memo
        self.main = path
        self.headers = headers
        self.env: Environment = environments.start(headers)
        self.environments: set[int] = set()  # that the pass has come through
        self.lines = self.lines_here()
        self.blocks = 0  # that no run has seen in their environment
        self.out = Output(memo.stretches)
        self.inactive: list[Location] = []
        self.notes: list[SyntaxNote] = []
        self.includes: list[Include] = []
        self.once: set[str] = set()
        self.times: dict[str, int] = {}  # how often each system header was included
        self.missing = False  # some header is missing: what it may define is not known
        self.depth = 0
        self.budget = budget
        self.spent = 0  # tokens of long expansions
        self.inlined = 0  # texts of the project's headers
        self.too_deep = False  # some were left out, because they are nested too deep
        self.late = False  # the budget has run out
        self.stopped = False
        self.counter = 0
        self.saved: dict[str, list[Definition | None]] = {}  # push_macro

    def lines_here(self) -> dict[str, object]:
        self.environments.add(self.env.id)
        return self.memo.by_environment.setdefault(self.env.id, {})

    def result(self) -> Expanded:
        self.out.finish()
        self.inactive.sort()
        return Expanded(
            b"".join([stretch.text for _, stretch in self.out.stretches]), self.out.source_map(self.main),
            tuple(self.inactive), tuple(self.notes), tuple(self.includes),
            {readable(name): where for name, where in self.env.where.items()}, self.out.stretches,
        )  # fmt: skip

    def note(self, kind: str, start: int, end: int, message: str) -> None:
        self.notes.append(SyntaxNote(kind, start, end, readable(message)))  # type: ignore[arg-type]


def again_key(operand: str, times: int) -> str:
    """The key of HeaderSnapshot.system for what a system header gives when it was included `times` times before."""
    return f"{operand} again {times}" if times else operand


def include_key(operand: str, including: str) -> str:
    """The key of HeaderSnapshot.texts for an operand that means another file in `including`'s directory."""
    return f"{operand} in {posixpath.dirname(including)}"
