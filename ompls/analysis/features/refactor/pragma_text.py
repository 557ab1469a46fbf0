"""Edits of a pragma as the user wrote it: clauses taken out, changed, added; long lines continued."""

from __future__ import annotations

from ompls.analysis.diagnostic import Edit
from ompls.analysis.encoding import decoded
from ompls.analysis.features.pragmas import Pragma, pragmas
from ompls.analysis.model.ast import DirectiveStmt
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.source import Location
from ompls.analysis.syntax.pragma import parse_directive

_WIDEST = 110  # columns of a pragma's line before it is continued on the next one


class PragmaText:
    """The pragma of `stmt`.  `written` is its directive as it stands in the source; its spans are offsets there."""

    def __init__(self, tu: TU, stmt: DirectiveStmt, pragma: Pragma) -> None:
        self.tu, self.pragma, self.directive = tu, pragma, stmt.directive
        self.written: Directive = parse_directive(tu.source[pragma.start : pragma.end], pragma.start)
        self._changed: dict[int, str] = {}  # number of the clause -> its new text ("": none)
        self._added: list[str] = []

    @property
    def same(self) -> bool:
        """Whether the clauses and their lists are as written: macros only stand for words in the list items."""
        return [_shape(c) for c in self.directive.clauses] == [_shape(c) for c in self.written.clauses]

    def item(self, clause: Clause, item: ListItem) -> str:
        """A list item of the model's directive in the user's words: `a[0:N]`, not `a[0:512]`."""
        number = next((n for n, c in enumerate(self.directive.clauses) if c is clause), None)
        if number is None or not self.same:
            return item.text
        written = self.written.clauses[number].items[next(k for k, i in enumerate(clause.items) if i is item)]
        text = self._source(written.span.start, written.span.end)
        return text if "\n" not in text else written.text

    def replace(self, clause: Clause, text: str) -> None:
        """`clause` of the model's directive is to read `text`; with "" it goes."""
        self._changed[self.directive.clauses.index(clause)] = text

    def add(self, text: str) -> None:
        self._added.append(text)

    def edits(self) -> tuple[Edit, ...]:
        """An edit for each changed clause, and one for all that are added."""
        found = []
        for number, text in sorted(self._changed.items()):
            span = self.written.clauses[number].span
            if text != self._source(span.start, span.end):
                start = span.start if text else self._gap(span.start)
                found.append(Edit(Location(self.tu.path, start, span.end), text))
        if self._added:
            end = self.pragma.end
            found.append(Edit(Location(self.tu.path, end, end), self._joined(end, self._added)))
        return tuple(found)

    def _source(self, start: int, end: int) -> str:
        return decoded(self.tu.source[start:end])

    def _gap(self, start: int) -> int:
        """Where the blanks, continuations and the comma before byte `start` begin."""
        kept = self.tu.source[self.pragma.start : start].rstrip(b" \t\\\r\n")
        return self.pragma.start + len(kept.removesuffix(b","))

    def _joined(self, start: int, parts: list[str]) -> str:
        """The clauses after byte `start`, on a new line where one gets too long."""
        source = self.tu.source
        line = source.rfind(b"\n", 0, self.pragma.start) + 1
        indent = self._source(line, self.pragma.start)
        indent = indent if not indent.strip() else ""
        column = start - (source.rfind(b"\n", 0, start) + 1)
        newline = "\r\n" if b"\r\n" in source[max(0, line - 2) : start + 200] else "\n"
        text = ""
        for part in parts:
            if column + 1 + len(part) > _WIDEST:
                text += f" \\{newline}{indent}    {part}"
                column = len(indent) + 4 + len(part)
            else:
                text += f" {part}"
                column += 1 + len(part)
        return text


def pragma_text(tu: TU, item: Item, stmt: DirectiveStmt) -> PragmaText | None:
    """The pragma of `stmt` when the user wrote it as a line of the main file; None when a macro made it."""
    where = tu.locate(item, stmt.directive.span)
    pragma = next((p for p in pragmas(tu.source) if p.start == where.start), None)
    if where.path != tu.path or pragma is None:
        return None
    found = PragmaText(tu, stmt, pragma)
    return found if found.written.name == stmt.directive.name else None


def _shape(clause: Clause) -> tuple[object, ...]:
    """What must be as written for its list to be rewritten."""
    if clause.name != "map":
        return (clause.name,)
    return (clause.name, clause.keyword, clause.modifiers, len(clause.items))
