"""The preprocessor: a text and a header snapshot in, the expanded text with its SourceMap out.

Ours, because the editor needs what a compiler's preprocessor throws away (columns, comments, the macros behind a
token, inactive branches) within a keystroke.  The Python libraries there are (pcpp) work on whole texts and keep
neither columns nor the stack of macros that a token came through.

Pure.  A `Preprocessor` only remembers: the result of a line depends on its bytes and on the definitions of the names
it looks up, nothing else (`__LINE__` and its like excepted, which add their place), so a line that was seen before in
the same *environment* costs one dictionary look-up.  An environment is the number of a chain of definitions, where
"stdio.h was included in environment 5" gives the same number in every run.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field

from ompls.analysis.model.tu import SyntaxNote
from ompls.analysis.source import HeaderSnapshot, Location, SourceMap
from ompls.analysis.syntax.compose import compose
from ompls.analysis.syntax.condition import Condition, evaluate
from ompls.analysis.syntax.directive import Parsed, guard_of, include_operand, macro_of, parse_line, skipped_directive
from ompls.analysis.syntax.environment import Environment, Environments
from ompls.analysis.syntax.lexer import (
    IDENT,
    WORDS,
    Token,
    blank,
    decode,
    internal,
    logical_end,
    may_continue,
    readable,
    tokenize,
)  # fmt: skip
from ompls.analysis.syntax.macros import Definition, Expander, Runaway, pragma_operator
from ompls.analysis.syntax.output import Line, Output

MAX_INCLUDE_DEPTH = 60  # gcc allows 200; each takes six frames of Python's stack
MAX_EXPANDED = 64 << 20  # bytes

_VERBATIM = "verbatim"  # memo entry: the line stays as it is
_PLACED = "placed"  # memo entry: the result depends on where the line stands
_SPECIALS = {"_Pragma": pragma_operator}


@dataclass(frozen=True, slots=True)
class Include:
    """An active `#include`.  `x` is the expanded offset where what it gives begins."""

    operand: str
    kind: str  # 'system' (see HeaderSnapshot.system), 'project' (its text stands at `x`), 'missing', 'again' (guarded)
    x: int
    where: Location
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Expanded:
    """The expanded text (see ARCHITECTURE.md).

    text       -- pragmas as lines of their own; other directives and inactive branches are blanks
    parse_text -- the same length, with the pragmas blanked too
    pragmas    -- expanded ranges of the active pragmas, in order, from `#` to the end of the logical line
    inactive   -- what conditions exclude, in the original files
    defines    -- where the macros that the texts define at the end were defined
    """

    text: bytes
    parse_text: bytes
    map: SourceMap
    pragmas: tuple[tuple[int, int], ...]
    inactive: tuple[Location, ...]
    notes: tuple[SyntaxNote, ...]
    includes: tuple[Include, ...]
    defines: dict[str, Location]


@dataclass(slots=True)
class _Several:
    """Memo entry: an invocation goes on in the following logical lines; how many they were so far."""

    sizes: list[int]


@dataclass(slots=True)
class _Memo:
    """Lines seen.  `by_environment`: environment → line → result; `by_names`: line → (definitions found, result)."""

    by_environment: dict[int, dict[str, object]] = field(default_factory=dict)
    by_names: dict[str, list[tuple[dict[str, Definition | None], object]]] = field(default_factory=dict)
    placed: dict[tuple[int, str, int, str], Line] = field(default_factory=dict)
    conditions: dict[tuple[int, str, str], Condition] = field(default_factory=dict)
    directives: dict[str, Parsed | None] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    guards: dict[str, str] = field(default_factory=dict)
    entries: int = 0  # that were made in `by_environment` and `placed`

    def size(self) -> int:
        return self.entries + len(self.directives) + len(self.skipped) + len(self.conditions)


class Preprocessor:
    """Remembers what it has seen; every `run` gives what a new Preprocessor would."""

    def __init__(self) -> None:
        self._memo = _Memo()
        self._environments = Environments()
        self._limit = 20_000

    def run(self, path: str, source: bytes, headers: HeaderSnapshot) -> Expanded:
        """Expand `source`, the bytes of the file `path`.  Never raises."""
        if self._memo.size() > self._limit:
            # forget what old versions of the text left behind
            self._memo, self._environments = _Memo(), Environments()
        run = _Run(self._memo, self._environments, path, headers)
        text = decode(source)
        run.file(path, text, None)
        try:
            source.decode()
        except UnicodeDecodeError as error:
            x = run.out.find(path, error.start)
            run.note("encoding", x, x, "the file is not UTF-8: its other bytes are taken as they are")
        self._limit = max(20_000, 6 * text.count("\n"))
        return run.result()


class _Run:
    """One pass over a translation unit."""

    def __init__(self, memo: _Memo, environments: Environments, path: str, headers: HeaderSnapshot) -> None:
        self.memo = memo
        self.main = path
        self.headers = headers
        self.env: Environment = environments.start(headers)
        self.lines = self._lines_here()
        self.out = Output()
        self.pragmas: list[tuple[int, int]] = []
        self.inactive: list[Location] = []
        self.notes: list[SyntaxNote] = []
        self.includes: list[Include] = []
        self.once: set[str] = set()
        self.missing = False  # some header is missing: what it may define is not known
        self.depth = 0
        self.counter = 0
        self.saved: dict[str, list[Definition | None]] = {}  # push_macro

    def _lines_here(self) -> dict[str, object]:
        return self.memo.by_environment.setdefault(self.env.id, {})

    def result(self) -> Expanded:
        text = "".join(self.out.parts)
        parts, at = [], 0
        for start, end in self.pragmas:
            parts.append(text[at:start])
            pragma = text[start:end]
            parts.append(blank(pragma))
            at = end
        parts.append(text[at:])
        self.inactive.sort()
        return Expanded(
            text.encode("latin-1"), "".join(parts).encode("latin-1"), self.out.source_map(self.main),
            tuple(self.pragmas), tuple(self.inactive), tuple(self.notes), tuple(self.includes),
            {readable(name): where for name, where in self.env.where.items()},
        )  # fmt: skip

    def note(self, kind: str, start: int, end: int, message: str) -> None:
        self.notes.append(SyntaxNote(kind, start, end, readable(message)))  # type: ignore[arg-type]

    # -- a file ----------------------------------------------------------------------------------------------------

    def file(self, path: str, text: str, included_at: Location | None) -> None:
        self.out.enter(path, text, included_at)
        _File(self, path, text, included_at).run()
        self.out.leave()


class _File:
    """One pass over one text."""

    def __init__(self, run: _Run, path: str, text: str, included_at: Location | None) -> None:
        self.run_ = run
        self.path = path
        self.text = text
        self.included_at = included_at
        self.physical = text.split("\n")
        self.index = 0  # of the physical line
        self.pos = 0  # its offset
        self.frames: list[_Frame] = []
        self.line_shift = 0  # `#line`: presumed line minus physical line
        self.presumed = path

    def run(self) -> None:
        run, physical = self.run_, self.physical
        lines, out, pragmas = run.lines, run.out, run.pragmas
        index, pos, count = 0, 0, len(physical)
        while index < count:
            line = physical[index]
            known = lines.get(line)
            if known is _VERBATIM:
                index += 1
                pos += len(line) + 1
                continue
            if type(known) is Line and out.size < MAX_EXPANDED:
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
            if out.size > MAX_EXPANDED:
                self._stop()
                break
        if self.frames:
            frame = self.frames[-1]
            run.note("parse", frame.x, frame.x + 1, f"#{frame.name} has no #endif")

    def _stop(self) -> None:
        size = self.run_.out.size
        self.run_.note(
            "budget", size, size, f"the expanded text is larger than {MAX_EXPANDED >> 20} MB: the rest is left out"
        )
        self.run_.out.blank(min(self.pos, len(self.text)), len(self.text))

    # -- logical lines ---------------------------------------------------------------------------------------------

    def _end(self, start: int) -> int:
        """The end of the logical line at offset `start`."""
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        return logical_end(self.text, start) if may_continue(self.text[start:end]) else end

    def _advance(self, end: int) -> None:
        self.index += self.text.count("\n", self.pos, end) + 1
        self.pos = end + 1

    def _logical_line(self, line: str) -> None:
        end = self._end(self.pos)
        raw = self.text[self.pos : end]
        if raw.lstrip()[:1] in ("#", "%", "/"):
            parsed = self._directive(raw)
            if parsed is not None and (parsed.name != "pragma" or parsed.for_preprocessor):
                self._act(parsed, raw, end)
                return
        else:
            parsed = None
        result, end = self._result(raw, end, parsed)
        if isinstance(result, Line):
            x = self.run_.out.replace(self.pos, end, result, self.run_.env.stacks)
            for start, stop in result.pragmas:
                self.run_.pragmas.append((x + start, x + stop))
            self._notes(x, result)
        self._advance(end)

    def _notes(self, x: int, line: Line) -> None:
        kind = "pragma" if line.pragmas else "parse"
        for start, end, message in line.notes:
            self.run_.note(kind, x + start, x + end, message)

    def _directive(self, raw: str) -> Parsed | None:
        known = self.run_.memo.directives
        if raw not in known:
            known[raw] = parse_line(raw)
        return known[raw]

    def _result(self, raw: str, end: int, pragma: Parsed | None) -> tuple[object, int]:
        """What becomes of the logical line(s) at `self.pos`, and where they end."""
        run, lines = self.run_, self.run_.lines
        known = lines.get(raw)
        if isinstance(known, _Several):
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
            end = self._end(end + 1)
        return end

    def _line_at(self, offset: int) -> int:
        """The number, as `__LINE__` gives it, of the line that holds `offset` of the current logical line."""
        return self.index + 1 + self.line_shift + self.text.count("\n", self.pos, self.pos + offset)

    def _expand(self, raw: str, end: int, pragma: Parsed | None) -> tuple[object, int]:
        run = self.run_
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
            return self._builtin(name, offset)

        ends = [end]
        calls = [0]

        def more(nth: int) -> list[Token] | None:
            calls[0] = max(calls[0], nth + 1)
            while len(ends) <= nth + 1:
                if ends[-1] >= len(self.text):
                    return None
                ends.append(self._end(ends[-1] + 1))
            start = ends[nth] + 1
            text = self.text[start : ends[nth + 1]]
            if text.lstrip()[:1] in ("#", "%", "/") and self._directive(text) is not None:
                return None
            return tokenize(text, start - self.pos)

        counter = run.counter
        expander = Expander(macros, builtin, None if pragma else more, _SPECIALS)
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
        result: object = line
        if line.text == whole and not (line.pieces or line.pragmas or line.notes):
            result = _VERBATIM
        if calls[0] == expander.pulled and not expander.open_invocation:
            self._keep(raw, whole, expander, asked, result)
        return result, end

    def _keep(self, raw: str, whole: str, expander: Expander, asked: list[str], result: object) -> None:
        run = self.run_
        run.memo.entries += 1
        if expander.pulled and not asked:
            several = run.lines.setdefault(raw, _Several([]))
            if isinstance(several, _Several):
                several.sizes = sorted({*several.sizes, expander.pulled})
                run.lines[whole] = result
        elif not asked:
            self._remember(raw, expander.looked_up, result)
        elif not expander.pulled and set(asked) <= {"__LINE__", "__FILE__"} and isinstance(result, Line):
            run.lines[raw] = _PLACED
            run.memo.placed[run.env.id, self.presumed, self._line_at(0), raw] = result

    def _remember(self, raw: str, names: dict[str, Definition | None], result: object) -> None:
        self.run_.lines[raw] = result
        known = self.run_.memo.by_names.setdefault(raw, [])
        known.append((names, result))
        del known[:-4]

    def _builtin(self, name: str, offset: int) -> str:
        run = self.run_
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

    # -- directives ------------------------------------------------------------------------------------------------

    def _act(self, parsed: Parsed, raw: str, end: int) -> None:
        """Blank the directive and do what it says."""
        run = self.run_
        x = run.out.at(self.pos)
        start = self.pos
        run.out.blank(start, end)
        span = (x + parsed.start, x + len(raw.rstrip()))
        action = _ACTIONS.get(parsed.name)
        if action is None:
            self._advance(end)
            if parsed.name and not parsed.name[0].isdigit():
                run.note("parse", *span, f"unknown directive '#{parsed.name}'")
            return
        where = Location(self.path, start + parsed.start, start + len(raw.rstrip()))
        self._advance(end)
        action(self, parsed, span, where)

    def _define(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        definition, token, problem = macro_of(parsed)
        if definition is None or token is None:
            self.run_.note("parse", *span, problem)
            return
        start = where.start - parsed.start
        name_at = Location(self.path, start + token[3], start + token[4])
        self.run_.env.define(definition, name_at)
        self.run_.lines = self.run_._lines_here()

    def _undef(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        if not parsed.tokens or parsed.tokens[0][0] != IDENT:
            self.run_.note("parse", *span, "#undef needs a macro name")
            return
        self.run_.env.undefine(parsed.tokens[0][1])
        self.run_.lines = self.run_._lines_here()

    def _if(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        condition = self._condition(parsed, span, where)
        unknown = self._unknown(condition, parsed)
        if unknown:
            message = (
                f"whether '{unknown}' is defined is not known, because a header is missing: neither branch is analysed"
            )
            self.run_.note("include", *span, message)
        value = condition.value and not unknown
        self.frames.append(_Frame(parsed.name, span[0], taken=value or bool(unknown)))
        if not value:
            self._skip()

    def _elif(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        frame = self._frame(parsed, span)
        if frame is None:
            return
        if frame.taken:
            self._skip()
            return
        condition = self._condition(parsed, span, where)
        unknown = self._unknown(condition, parsed)
        frame.taken = condition.value or bool(unknown)
        if not condition.value or unknown:
            self._skip()

    def _else(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        frame = self._frame(parsed, span)
        if frame is None:
            return
        frame.last = True
        if frame.taken:
            self._skip()
        frame.taken = True

    def _endif(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        if not self.frames:
            self.run_.note("parse", *span, "#endif without #if")
            return
        self.frames.pop()

    def _frame(self, parsed: Parsed, span: tuple[int, int]) -> _Frame | None:
        if not self.frames or self.frames[-1].last:
            self.run_.note("parse", *span, f"#{parsed.name} without #if")
            return None
        return self.frames[-1]

    def _condition(self, parsed: Parsed, span: tuple[int, int], where: Location) -> Condition:
        run = self.run_
        name = parsed.name.removeprefix("el")
        if name in ("ifdef", "ifndef"):
            if not parsed.tokens or parsed.tokens[0][0] != IDENT:
                run.note("parse", *span, f"#{parsed.name} needs a macro name")
                return Condition(False)
            macro = parsed.tokens[0][1]
            found = macro in run.env.macros
            return Condition(found == (name == "ifdef"), set() if found else {macro})
        key = (run.env.id, self.path, parsed.raw)
        known = run.memo.conditions.get(key)
        if known is None:
            asked: list[str] = []

            def builtin(name: str, offset: int) -> str:
                asked.append(name)
                return str(self.index + self.line_shift) if name == "__LINE__" else self._builtin(name, 0)

            def has_include(operand: str) -> bool:
                asked.append(operand)
                return self._resolve(operand)[0] != "missing"

            known = evaluate(parsed.tokens, run.env.macros, builtin, has_include)
            if not asked:
                run.memo.conditions[key] = known
        if known.problem:
            run.note("parse", *span, f"#{parsed.name}: {known.problem}")
        return known

    def _unknown(self, condition: Condition, parsed: Parsed) -> str:
        """A macro that decides the condition and that a missing header may define ('' when there is none)."""
        if not self.run_.missing:
            return ""
        names = sorted(n for n in condition.undefined if not n.startswith("_"))
        if parsed.name == "ifndef" and self._is_default(names):
            return ""
        return readable(names[0]) if names else ""

    def _is_default(self, names: list[str]) -> bool:
        """Whether the next line defines the name: an include guard, or a default that a header rarely overrides."""
        following = self.text[self.pos : self._end(self.pos)] if self.pos < len(self.text) else ""
        parsed = self._directive(following)
        return parsed is not None and parsed.name == "define" and bool(parsed.tokens) and parsed.tokens[0][1] in names

    def _skip(self) -> None:
        """Blank everything up to the directive that ends the branch."""
        run, physical, skipped = self.run_, self.physical, self.run_.memo.skipped
        index, pos, start, depth = self.index, self.pos, self.pos, 0
        while index < len(physical):
            line = physical[index]
            if "#" not in line and not may_continue(line) and "%:" not in line:
                index += 1
                pos += len(line) + 1
                continue
            end = self._end(pos)
            raw = self.text[pos:end]
            name = skipped.get(raw)
            if name is None:
                name = skipped[raw] = skipped_directive(raw)
            if name in ("if", "ifdef", "ifndef"):
                depth += 1
            elif name == "endif" and depth:
                depth -= 1
            elif name and not depth:
                break
            index += raw.count("\n") + 1
            pos = end + 1
        self.index, self.pos = index, pos
        stop = min(pos, len(self.text))
        if stop > start:
            run.out.blank(start, stop)
            run.inactive.append(Location(self.path, start, stop))

    def _include(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        run = self.run_
        operand = include_operand(parsed, run.env.macros, self._builtin)
        if not operand:
            run.note("include", *span, f'#{parsed.name} needs "file" or <file>')
            return
        kind, found = self._resolve(operand)
        shown = readable(operand)
        at_main = self.included_at or where
        if kind == "system":
            run.env.include(run.headers, shown)
            run.lines = run._lines_here()
        elif kind == "missing":
            reason = run.headers.missing.get(shown, "not found")
            run.note("include", *span, f"{shown}: {reason}")
            run.missing = True
        x = run.out.at(self.pos)
        if found is not None:
            included = self._inline(found, span, at_main)
            kind, x = ("again", x) if included is None else (kind, included)
        run.includes.append(Include(shown, kind, x, where, found[0] if found else None))

    def _inline(self, found: tuple[str, bytes], span: tuple[int, int], at_main: Location) -> int | None:
        """Put the text of a header here; the expanded offset where it begins, None when it is not included again."""
        run = self.run_
        path, data = found
        text = decode(data)
        guard = run.memo.guards.get(text)
        if guard is None:
            guard = run.memo.guards[text] = guard_of(text)
        if path in run.once or (guard and guard in run.env.macros):
            return None
        if run.depth >= MAX_INCLUDE_DEPTH:
            run.note("include", *span, f"includes are nested more than {MAX_INCLUDE_DEPTH} deep")
            return None
        run.out.copy(min(self.pos, len(self.text)))
        if self.pos > len(self.text):
            run.out.insert("\n")
        x = run.out.size
        run.depth += 1
        run.file(path, text, at_main)
        run.depth -= 1
        if text and not text.endswith("\n"):
            run.out.insert("\n")
        return x

    def _resolve(self, operand: str) -> tuple[str, tuple[str, bytes] | None]:
        headers, operand = self.run_.headers, readable(operand)
        found = headers.texts.get(include_key(operand, self.path)) or headers.texts.get(operand)
        if found is not None:
            return "project", found
        return ("system" if operand in headers.system else "missing"), None

    def _line(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        tokens = parsed.tokens
        if tokens and tokens[0][1].isdigit():
            self.line_shift = int(tokens[0][1]) - self.index - 1
            if len(tokens) > 1 and tokens[1][1].startswith('"'):
                self.presumed = tokens[1][1][1:-1]

    def _message(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        self.run_.note("parse", *span, f"#{parsed.name} {parsed.rest}".rstrip())

    def _nothing(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        """`#ident` and the like."""

    def _pragma(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        """`#pragma once`, `push_macro` and `pop_macro`."""
        run, tokens = self.run_, parsed.tokens
        words = [t[1] for t in tokens[:4]]
        if words[:1] == ["once"]:
            run.once.add(self.path)
        elif words[:1] in (["push_macro"], ["pop_macro"]) and len(words) == 4 and words[2].startswith('"'):
            name = words[2][1:-1]
            if words[0] == "push_macro":
                run.saved.setdefault(name, []).append(run.env.macros.get(name))
            elif run.saved.get(name):
                before = run.saved[name].pop()
                if before is None:
                    run.env.undefine(name)
                else:
                    run.env.define(before, run.env.where.get(name))
                run.lines = run._lines_here()


@dataclass(slots=True)
class _Frame:
    """An open `#if`."""

    name: str
    x: int  # expanded offset of its `#`
    taken: bool  # some branch was chosen (or none will be)
    last: bool = False  # `#else` was seen


_Action = Callable[[_File, Parsed, "tuple[int, int]", Location], None]
_ACTIONS: dict[str, _Action] = {
    "define": _File._define, "undef": _File._undef, "if": _File._if, "ifdef": _File._if, "ifndef": _File._if,
    "elif": _File._elif, "elifdef": _File._elif, "elifndef": _File._elif, "else": _File._else, "endif": _File._endif,
    "include": _File._include, "include_next": _File._include, "import": _File._include, "line": _File._line,
    "error": _File._message, "warning": _File._message, "ident": _File._nothing, "sccs": _File._nothing,
    "assert": _File._nothing, "unassert": _File._nothing, "": _File._nothing, "pragma": _File._pragma,
}  # fmt: skip


def include_key(operand: str, including: str) -> str:
    """The key of HeaderSnapshot.texts for an operand that means another file in `including`'s directory."""
    return f"{operand} in {posixpath.dirname(including)}"


def _quoted(path: str) -> str:
    return '"' + internal(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _open_comment(raw: str) -> bool:
    """Whether a block comment may not be closed (true for some that are)."""
    return "/*" in raw and not raw.rstrip().endswith("*/")


__all__ = ["Expanded", "Include", "Preprocessor", "include_key"]
