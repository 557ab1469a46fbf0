"""One pass over one text, line by line: what was seen before is looked up, the rest is expanded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Literal

from ompls.analysis.source import Location
from ompls.analysis.syntax.blocks import Block, Blocks
from ompls.analysis.syntax.compose import compose
from ompls.analysis.syntax.directive import Parsed, parse_line
from ompls.analysis.syntax.expand import Expander, attribute_operator, pragma_operator
from ompls.analysis.syntax.lexer import WORDS, Token, internal, logical_end, may_continue, tokenize
from ompls.analysis.syntax.macros import Definition, Runaway
from ompls.analysis.syntax.output import Line, Passed, assemble, notes_of
from ompls.analysis.syntax.quoted import c_string
from ompls.analysis.syntax.state import Run, Several

MAX_EXPANDED = 64 << 20  # bytes
MAX_SPENT = 1_000_000  # tokens that long expansions may take in one unit
MAX_INCLUDES = 10_000  # of the project's headers: two that include each other twice have no end
MAX_BLOCK = 1 << 20  # bytes that the lines of a block may become together
POLLED_LINES = 64
LONG_LINE = 10_000  # bytes of a logical line: remembering it is not worth the room
KEPT_ENVIRONMENTS = 4  # in which what became of a block is remembered
FEW_BLOCKS = 16  # new ones: from there on all of a text is new, and only what became of whole blocks is remembered

_VERBATIM = "verbatim"  # memo entry: the line stays as it is
_PLACED = "placed"  # memo entry: the result depends on where the line stands
_PRAGMAS = {"_Pragma": pragma_operator}
_SPECIALS = {**_PRAGMAS, "omp": attribute_operator}
_DIRECTIVE_STARTS = ("#", "%", "/")  # the first characters of a line that may be a directive


class LinePass(ABC):
    """One pass over one text; `unit` is the pass over the translation unit that it belongs to."""

    def __init__(self, run: Run, path: str, text: str, included_at: Location | None) -> None:
        self.unit = run
        self.path = path
        self.text = text
        self.included_at = included_at
        self.index = 0  # of the physical line
        self.pos = 0  # its offset
        self.line_shift = 0  # `#line`: presumed line minus physical line
        self.presumed = path

    def run(self) -> None:
        """Put the whole text out, a known block at a time, the others line by line."""
        run, end = self.unit, 0
        for block in run.memo.blocks.setdefault(self.path, Blocks()).cut(self.text):
            start, end = end, end + len(block.text)
            if self.pos == start and self._block(block, start, end):
                continue
            if self.pos < end and not self._lines(end):
                break
            run.out.flush()

    def _block(self, block: Block, start: int, end: int) -> bool:
        """Put out the block at [start, end) if it is one that means the same wherever it stands."""
        run = self.unit
        number = run.env.id
        passed = block.passed.get(number)
        if passed is None:
            if number in block.passed:
                return False
            found = self._pass(block, start, end)
            if found is False:
                return False
            passed = found
            if len(block.passed) >= KEPT_ENVIRONMENTS:
                block.passed.clear()
            block.passed[number] = passed
        if passed is None or run.out.size > MAX_EXPANDED:
            return False
        x = run.out.take(start, end, passed, run.env.stacks)
        for kind, a, b, message in passed.notes:
            run.note(kind, x + a, x + b, message)
        self.index += passed.lines
        self.pos = end
        return True

    def _pass(self, block: Block, start: int, end: int) -> Passed | Literal[False] | None:
        """What becomes of the block's lines; None when it depends on more than their text and the environment, or
        changes that; False when there is no time left to find out."""
        run, text, all_lines = self.unit, self.text, self.unit.lines
        index, counter, size = self.index, run.counter, 0
        run.blocks += 1
        if run.blocks > FEW_BLOCKS:
            run.lines = {}
        lines = run.lines
        found: list[tuple[int, int, Line]] = []  # what does not stay as it is, at its place in the block
        try:
            while self.pos < end:
                pos = self.pos
                stop = text.find("\n", pos, end)
                known = lines.get(text[pos:stop]) if stop >= 0 else None
                if known is not None and (known is _VERBATIM or type(known) is Line):
                    self.index += 1
                    self.pos = stop + 1
                else:
                    stop = self.end_of(pos)
                    raw = text[pos:stop]
                    parsed = self.directive(raw) if raw.lstrip()[:1] in _DIRECTIVE_STARTS else None
                    if parsed is not None and (parsed.name != "pragma" or parsed.for_preprocessor):
                        return None
                    known, stop = self._result(raw, stop, parsed)
                    if lines.get(text[pos:stop]) is not known:
                        return None
                    self.advance(stop)
                if known is not _VERBATIM and isinstance(known, Line):
                    size += len(known.text)
                    if known.cost or size > MAX_BLOCK:
                        return None
                    found.append((pos - start, stop - start, known))
                if not self.index % POLLED_LINES and self._exhausted():
                    return False
        finally:
            run.counter, run.lines = counter, all_lines
            count, ends = self.index - index, self.pos
            self.index, self.pos = index, start
        if ends != end or block.text[-1] != "\n":
            return None
        passed = assemble(block.text, found, count, run.memo.stretches)
        return next((p for p in block.passed.values() if p == passed), passed)

    def _lines(self, end: int) -> bool:
        """Put out the lines before `end`; False: and no more, because there is no time or room left."""
        run, text = self.unit, self.text
        lines, out = run.lines, run.out
        index, pos = self.index, self.pos
        while pos < end:
            stop = text.find("\n", pos, end)
            stop = end if stop < 0 else stop
            known = lines.get(text[pos:stop])
            if known is _VERBATIM:
                index += 1
                pos = stop + 1
                continue
            if type(known) is Line and not known.cost and out.size < MAX_EXPANDED:
                x = out.replace(pos, stop, known, run.env.stacks)
                if known.notes:
                    self._notes(x, known)
                index += 1
                pos = stop + 1
                continue
            self.index, self.pos = index, pos
            self._logical_line()
            index, pos = self.index, self.pos
            lines = run.lines
            if why := self._exhausted():
                if not run.stopped:
                    run.note("budget", out.size, out.size, f"{why}: the rest is left out")
                run.stopped = True
                out.blank(min(self.pos, len(self.text)), len(self.text))
                return False
        self.index, self.pos = index, pos
        return True

    def _exhausted(self, asked: bool = False) -> str:
        """Why the rest of the unit cannot be expanded; '' when it can.  `asked`: whatever the line."""
        run = self.unit
        if run.inlined > MAX_INCLUDES:
            return f"more than {MAX_INCLUDES} times a header of the project is included"
        if run.out.size > MAX_EXPANDED:
            return f"the expanded text is larger than {MAX_EXPANDED >> 20} MB"
        if run.spent > MAX_SPENT:
            return f"macro expansion takes more than {MAX_SPENT} tokens"
        asked = asked or not self.index % POLLED_LINES
        if run.stopped or run.late or (run.budget is not None and asked and run.budget.expired()):
            run.late = True
            return "no time left to go on"
        return ""

    # -- logical lines ---------------------------------------------------------------------------------------------

    def end_of(self, start: int) -> int:
        """The end of the logical line at offset `start`."""
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        return logical_end(self.text, start) if may_continue(self.text[start:end]) else end

    def advance(self, end: int) -> None:
        """Go on after the logical line that ends at `end`."""
        self.index += self.text.count("\n", self.pos, end) + 1
        self.pos = end + 1

    def _logical_line(self) -> None:
        end = self.end_of(self.pos)
        raw = self.text[self.pos : end]
        if raw.lstrip()[:1] in _DIRECTIVE_STARTS:
            parsed = self.directive(raw)
            if parsed is not None and (parsed.name != "pragma" or parsed.for_preprocessor):
                self.act(parsed, raw, end)
                return
        else:
            parsed = None
        result, end = self._result(raw, end, parsed)
        if isinstance(result, Line):
            self.unit.spent += result.cost
            self._notes(self.unit.out.replace(self.pos, end, result, self.unit.env.stacks), result)
        self.advance(end)

    def _notes(self, x: int, line: Line) -> None:
        for kind, start, end, message in notes_of(line):
            self.unit.note(kind, x + start, x + end, message)

    def directive(self, raw: str) -> Parsed | None:
        """The directive on the logical line `raw`, if it is one."""
        if len(raw) > LONG_LINE:
            return parse_line(raw)  # a comment that nobody closes yet, most likely
        known = self.unit.memo.directives
        if raw not in known:
            known[raw] = parse_line(raw)
        return known[raw]

    def _result(self, raw: str, end: int, pragma: Parsed | None) -> tuple[object, int]:
        """What becomes of the logical line(s) at `self.pos`, and where they end."""
        run, lines = self.unit, self.unit.lines
        known = lines.get(raw)
        if isinstance(known, Several):
            for size in known.sizes:
                longer = self._extent(end, size)
                if longer is not None and (found := lines.get(self.text[self.pos : longer])) is not None:
                    return found, longer
        elif known is _PLACED:
            found = run.memo.placed.get((run.env.id, self.presumed, self._line_at(0), raw))
            if found is not None:
                return found, end
        elif known is not None:
            return known, end
        else:
            for names, result in run.memo.by_names.get(raw, ()):
                if all(run.env.macros.get(name) is found for name, found in names.items()):
                    lines[raw] = result
                    run.memo.entries += 1
                    return result, end
        return self._expand(raw, end, pragma)

    def _extent(self, end: int, lines: int) -> int | None:
        for _ in range(lines):
            if end >= len(self.text):
                return None
            end = self.end_of(end + 1)
        return end

    def _line_at(self, offset: int) -> int:
        """The number, as `__LINE__` gives it, of the line that holds `offset` of the current logical line."""
        return self.index + 1 + self.line_shift + self.text.count("\n", self.pos, self.pos + offset)

    def _expand(self, raw: str, end: int, pragma: Parsed | None) -> tuple[object, int]:
        run = self.unit
        macros = run.env.macros
        if pragma is None and not ('"' in raw or "'" in raw or "\\" in raw or "%" in raw or ":" in raw):
            words = set(WORDS.findall(raw))
            if macros.keys().isdisjoint(words) and "_Pragma" not in words and not _open_comment(raw):
                # found out as quickly in the next environment as remembered, for every line of the text
                run.lines[raw] = _VERBATIM
                return _VERBATIM, end
        tokens = tokenize(raw)
        asked: list[str] = []

        def builtin(name: str, offset: int) -> str:
            asked.append(name)
            return self.builtin(name, offset)

        ends = [end]
        calls = [0]

        def more(nth: int) -> list[Token] | None:
            calls[0] = max(calls[0], nth + 1)
            while len(ends) <= nth + 1:
                if ends[-1] >= len(self.text):
                    return None
                ends.append(self.end_of(ends[-1] + 1))
            start = ends[nth] + 1
            text = self.text[start : ends[nth + 1]]
            if text.lstrip()[:1] in _DIRECTIVE_STARTS and self.directive(text) is not None:
                return None
            return tokenize(text, start - self.pos)

        counter = run.counter
        expander = Expander(macros, builtin, None if pragma else more, _PRAGMAS if "omp" in macros else _SPECIALS)
        skip = 0 if pragma is None else 3 if pragma.expands else len(tokens)
        unread = False
        try:
            invocations = expander.line(tokens[skip:])
        except Runaway as error:
            run.counter = counter
            # all lines that were read stay as they are: trying again from each of them would be quadratic
            invocations, unread = [], True
            expander.notes = [(tokens[0][3], tokens[-1][4], str(error))]
        end = ends[expander.pulled]
        whole = self.text[self.pos : end]
        if expander.pulled:
            tokens = [t for at in range(expander.pulled) for t in more(at) or ()]
            tokens = tokenize(raw) + tokens
        line = compose(whole, tokens, invocations, expander.notes, pragma)
        if expander.cost or unread:
            line = replace(line, cost=expander.cost, unread=unread)
        result: object = line
        if line.text == whole and not (line.pieces or line.pragmas or line.notes):
            result = _VERBATIM
        # the last line of the text may be the first of several in another version: `/*`
        whole_line = end < len(self.text) or not may_continue(raw)
        if calls[0] == expander.pulled and not expander.open_invocation and whole_line:
            self._keep(raw, whole, expander, asked, result)
        return result, end

    def _keep(self, raw: str, whole: str, expander: Expander, asked: list[str], result: object) -> None:
        run = self.unit
        run.memo.entries += 1
        if expander.pulled and not asked:
            several = run.lines.setdefault(raw, Several([]))
            if isinstance(several, Several):
                several.sizes = sorted({*several.sizes, expander.pulled})
                run.lines[whole] = result
        elif not asked:
            self._remember(raw, expander.looked_up, result)
        elif not expander.pulled and set(asked) <= {"__LINE__", "__FILE__"} and isinstance(result, Line):
            run.lines[raw] = _PLACED
            run.memo.placed[run.env.id, self.presumed, self._line_at(0), raw] = result

    def _remember(self, raw: str, names: dict[str, Definition | None], result: object) -> None:
        self.unit.lines[raw] = result
        if self.unit.blocks > FEW_BLOCKS:
            return
        known = self.unit.memo.by_names.setdefault(raw, [])
        known.append((names, result))
        del known[:-4]

    def builtin(self, name: str, offset: int) -> str:
        """What `__LINE__` and the like stand for at `offset` of the current logical line."""
        run = self.unit
        if name == "__LINE__":
            return str(self._line_at(offset))
        if name == "__FILE__":
            return _quoted(self.presumed)
        if name == "__BASE_FILE__":
            return _quoted(run.main)
        if name == "__INCLUDE_LEVEL__":
            return str(run.depth)
        if name == "__COUNTER__":
            run.counter += 1
            return str(run.counter - 1)
        # analysis has no clock; gcc writes the same when it has none
        return {"__DATE__": '"??? ?? ????"', "__TIME__": '"??:??:??"'}.get(name, '"??? ??? ?? ??:??:?? ????"')

    @abstractmethod
    def act(self, parsed: Parsed, raw: str, end: int) -> None:
        """Do what the directive that ends at `end` says, and go on after it."""


def _quoted(path: str) -> str:
    return c_string(internal(path))


def _open_comment(raw: str) -> bool:
    """Whether a block comment may not be closed (true for some that are)."""
    return "/*" in raw and not raw.rstrip().endswith("*/")
