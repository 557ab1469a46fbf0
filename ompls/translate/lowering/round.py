"""One pass over a unit: what every lowering reads, and the edits that they make together.

Edits of one pass do not overlap: what lies inside of a statement that another lowering has rewritten is looked at
again in the next pass, which sees the new text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from threading import get_ident

from ompls.analysis.encoding import decoded
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Node, Span
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.translate.lowering.context import Place
from ompls.translate.lowering.edits import LineEdits, on_one_line, pragma
from ompls.translate.problem import Problem
from ompls.translate.rewrite import spliced
from ompls.translate.target import HOST, Target

_DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)")
_MARKS: dict[tuple[str, Target], int] = {}  # the bit in `Content.memo` that says that a theme has nothing for a target


@lru_cache(maxsize=8)
def _analyzer(path: str, target: Target, number: int, thread: int) -> Analyzer:
    """One for each text that lowering makes of a file: of a preview's next version most is known."""
    return Analyzer()


@dataclass
class Round:
    """One pass.  `target` is whom the text is made for.

    number   -- how many passes there were before
    problems -- what no lowering can do: (where it stands, what and why)
    """

    tu: TU
    target: Target
    number: int = 0
    problems: list[tuple[Item | FileDirective, Problem]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.edits = LineEdits(self.tu)
        self._ranges: list[Span] = []
        self._asked = 0  # edits and refusals, also those that have to wait

    @property
    def changed(self) -> bool:
        return bool(self._ranges)

    def made(self) -> TU:
        """The unit of the lowered text."""
        source, headers = self.edits.made()
        analyzer = _analyzer(self.tu.path, self.target, self.number, get_ident())
        tu = analyzer.analyze(self.tu.path, source, headers, self.tu.settings)
        tu.identity = self.tu.identity
        return tu

    # --- edits ------------------------------------------------------------------------------------------------

    def replace(self, item: Item | FileDirective, *edits: tuple[Span, str]) -> bool:
        """Put each text for its span of `item`, all or none: not when one overlaps what was done in this pass."""
        self._asked += 1
        spans = [Span(item.start + span.start, item.start + span.end) for span, _ in edits]
        lo, hi = min(s.start for s in spans), max(s.end for s in spans)
        if any(r.start < hi and lo < r.end for r in self._ranges):
            return False
        self._ranges.append(Span(lo, hi))
        for span, (_, text) in zip(spans, edits, strict=True):
            if span.start == span.end:
                self.edits.insert_after(span.end, text)
            else:
                self.edits.replace(span.start, span.end, text)
        return True

    def refuse(self, item: Item | FileDirective, span: Span, what: str, why: str) -> None:
        self._asked += 1
        self.problems.append((item, Problem(span, what, why)))

    def ask_again(self) -> None:
        """The item that is looked at may need something another time, though it has not changed."""
        self._asked += 1

    # --- reading ----------------------------------------------------------------------------------------------

    @cached_property
    def macros(self) -> set[str]:
        """The names of all macros of the file and the project's headers."""
        texts = (self.tu.source, *(text for _, text in self.tu.headers.values()))
        return {decoded(m[1]) for text in texts for m in _DEFINE.finditer(text)}

    def text(self, item: Item, span: Span) -> str:
        """The expanded text of `span` on one line."""
        return on_one_line(self.tu.text(item, span)).strip()

    def items(self, theme: str) -> Iterator[Item]:
        """The items with directives, for a theme that looks at each alone; not those where it found nothing before."""
        mark = 1 << _MARKS.setdefault((theme, self.target), len(_MARKS))
        for item in self.tu.items:
            memo = item.content.memo
            if item.content.directives and not memo.get(__name__, 0) & mark:
                asked = self._asked
                yield item
                if self._asked == asked:
                    memo[__name__] = memo.get(__name__, 0) | mark

    def statements(self) -> Iterator[tuple[Item, DirectiveStmt]]:
        for item in self.tu.items:
            for stmt in item.content.directives:
                yield item, stmt

    def place(self, item: Item, outer: list[Directive], also: tuple[str, ...] = ()) -> Place:
        """The place inside of the directives `outer`; kernels' functions are in a target construct, too."""
        constructs = tuple(c for d in outer for c in d.constructs if d.known) + also
        if not self.target.on_device or "target" in constructs:
            return Place(self.target if "target" in constructs else HOST, constructs)
        node = item.content.node
        on_device = isinstance(node, FunctionDef) and not any(
            d.has("target") or (d.meta is not None and any(v.directive.has("target") for v in d.meta.variants))
            for d in (s.directive for s in item.content.directives)
        )
        return Place(self.target, ("target", *constructs)) if on_device else Place(HOST, constructs)


def with_outer(node: Node) -> Iterator[tuple[Node, tuple[Directive, ...]]]:
    """Every node below with the directives around it, outermost first."""
    todo: list[tuple[Node, tuple[Directive, ...]]] = [(node, ())]
    while todo:
        n, outer = todo.pop()
        yield n, outer
        inside = (*outer, n.directive) if isinstance(n, DirectiveStmt) else outer
        todo += [(child, inside) for child in reversed(n.children())]


def directive_text(tu: TU, item: Item | FileDirective, d: Directive) -> str:
    """`d` as `omp NAME(arguments) clauses`, its own words on one line; '' for `nothing`."""
    if d.name == "nothing":
        return ""
    start = d.name_span.end
    end = max([d.name_span.end, *(c.span.end for c in d.clauses), *(a.span.end for a in d.args)])
    if d.args:
        end = max(end, _closing(tu, item, end))
    words = decoded(tu.expanded[item.start + start : item.start + end])
    rest = " ".join(spliced(words).split())
    return f"omp {d.name}{'' if rest.startswith('(') else ' '}{rest}".rstrip()


def _closing(tu: TU, item: Item | FileDirective, at: int) -> int:
    """Where the parenthesis after the directive's own arguments ends."""
    rest = tu.expanded[item.start + at : item.start + at + 200]
    blank = len(rest) - len(rest.lstrip())
    return at + blank + 1 if rest.lstrip()[:1] == b")" else at


__all__ = ["Round", "directive_text", "pragma", "with_outer"]
