"""One pass over one text, line by line: what was seen before is looked up, the rest is expanded."""

from __future__ import annotations

from dataclasses import replace

from ompls.analysis.source import Location
from ompls.analysis.syntax.compose import compose
from ompls.analysis.syntax.directive import Parsed, parse_line
from ompls.analysis.syntax.expand import Expander, attribute_operator, pragma_operator
from ompls.analysis.syntax.lexer import WORDS, Token, internal, logical_end, may_continue, tokenize
from ompls.analysis.syntax.macros import Definition, Runaway
from ompls.analysis.syntax.output import Line
from ompls.analysis.syntax.state import Run, Several

MAX_EXPANDED = 64 << 20  # bytes
MAX_SPENT = 1_000_000  # tokens that long expansions may take in one unit
POLLED_LINES = 64

_VERBATIM = "verbatim"  # memo entry: the line stays as it is
_PLACED = "placed"  # memo entry: the result depends on where the line stands
_PRAGMAS = {"_Pragma": pragma_operator}
_SPECIALS = {**_PRAGMAS, "omp": attribute_operator}
_DIRECTIVE_STARTS = ("#", "%", "/")  # the first characters of a line that may be a directive


class LinePass:
    """One pass over one text; `unit` is the pass over the translation unit that it belongs to."""

    def __init__(self, run: Run, path: str, text: str, included_at: Location | None) -> None:
        self.unit = run
        self.path = path
        self.text = text
        self.included_at = included_at
        self.physical = text.split("\n")
        self.index = 0  # of the physical line
        self.pos = 0  # its offset
        self.line_shift = 0  # `#line`: presumed line minus physical line
        self.presumed = path

    def run(self) -> None:
        """Put the whole text out.  The loop is what a keystroke costs, so known lines are dealt with in place."""
        run, physical = self.unit, self.physical
        lines, out, pragmas = run.lines, run.out, run.pragmas
        index, pos, count = 0, 0, len(physical)
        while index < count:
            line = physical[index]
            known = lines.get(line)
            if known is _VERBATIM:
                index += 1
                pos += len(line) + 1
                continue
            if type(known) is Line and not known.cost and out.size < MAX_EXPANDED:
                end = pos + len(line)
                x = out.replace(pos, end, known, run.env.stacks)
                for start, stop in known.pragmas:
                    pragmas.append((x + start, x + stop))
                if known.notes:
                    self._notes(x, known)
                index += 1
                pos = end + 1
                continue
            self.index, self.pos = index, pos
            self._logical_line(line)
            index, pos = self.index, self.pos
            lines = run.lines
            if why := self._exhausted():
                if not run.stopped:
                    run.note("budget", out.size, out.size, f"{why}: the rest is left out")
                run.stopped = True
                out.blank(min(self.pos, len(self.text)), len(self.text))
                break

    def _exhausted(self) -> str:
        """Why the rest of the unit cannot be expanded; '' when it can."""
        run = self.unit
        if run.out.size > MAX_EXPANDED:
            return f"the expanded text is larger than {MAX_EXPANDED >> 20} MB"
        if run.spent > MAX_SPENT:
            return f"macro expansion takes more than {MAX_SPENT} tokens"
        if run.stopped or (run.budget is not None and not self.index % POLLED_LINES and run.budget.expired()):
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

    def _logical_line(self, line: str) -> None:
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
            x = self.unit.out.replace(self.pos, end, result, self.unit.env.stacks)
            for start, stop in result.pragmas:
                self.unit.pragmas.append((x + start, x + stop))
            self._notes(x, result)
        self.advance(end)

    def _notes(self, x: int, line: Line) -> None:
        kind = "pragma" if line.pragmas else "parse"
        for start, end, message in line.notes:
            self.unit.note(kind, x + start, x + end, message)

    def directive(self, raw: str) -> Parsed | None:
        """The directive on the logical line `raw`, if it is one."""
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
                self._remember(raw, dict.fromkeys(words), _VERBATIM)
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
        try:
            invocations = expander.line(tokens[skip:])
        except Runaway as error:
            run.counter = counter
            # all lines that were read stay as they are: trying again from each of them would be quadratic
            invocations = []
            expander.notes = [(tokens[0][3], tokens[-1][4], str(error))]
        end = ends[expander.pulled]
        whole = self.text[self.pos : end]
        if expander.pulled:
            tokens = [t for at in range(expander.pulled) for t in more(at) or ()]
            tokens = tokenize(raw) + tokens
        line = compose(whole, tokens, invocations, expander.notes, pragma)
        if expander.cost:
            line = replace(line, cost=expander.cost)
        result: object = line
        if line.text == whole and not (line.pieces or line.pragmas or line.notes):
            result = _VERBATIM
        if calls[0] == expander.pulled and not expander.open_invocation:
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

    def act(self, parsed: Parsed, raw: str, end: int) -> None:
        """Do what the directive that ends at `end` says, and go on after it."""
        raise NotImplementedError


def _quoted(path: str) -> str:
    return '"' + internal(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _open_comment(raw: str) -> bool:
    """Whether a block comment may not be closed (true for some that are)."""
    return "/*" in raw and not raw.rstrip().endswith("*/")
